// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions, and copying between packets and memory. All copying is done
 * by the CPU with kernel addresses: the device is registered without a DMA
 * device, so a kernel user's "DMA address" is a virtual address.
 */
#include <linux/highmem.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#include "vfab.h"

static void vfab_mr_release(struct kref *ref)
{
	complete(&container_of(ref, struct vfab_mr, ref)->gone);
}

static void vfab_mr_put(struct vfab_mr *mr)
{
	kref_put(&mr->ref, vfab_mr_release);
}

static struct vfab_mr *vfab_mr_alloc(struct ib_pd *pd, int access)
{
	struct vfab_host *host = to_vhost(pd->device);
	struct vfab_mr *mr;
	u32 index;
	int ret;

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	kref_init(&mr->ref);
	init_completion(&mr->gone);
	mr->access = access;
	mr->ibmr.pd = pd;
	/* reserved here, visible once it is filled in */
	ret = xa_alloc_irq(&host->mrs, &index, NULL, XA_LIMIT(1, 0x3fffff),
			   GFP_KERNEL);
	if (ret) {
		kfree(mr);
		return ERR_PTR(ret);
	}
	mr->ibmr.lkey = index << 8;
	mr->ibmr.rkey = mr->ibmr.lkey;
	return mr;
}

static void vfab_mr_publish(struct vfab_mr *mr)
{
	struct vfab_host *host = to_vhost(mr->ibmr.pd->device);

	/* cannot fail: the entry is reserved */
	xa_store_irq(&host->mrs, mr->ibmr.lkey >> 8, mr, GFP_KERNEL);
}

static struct vfab_mr *vfab_mr_get(struct ib_pd *pd, u32 key)
{
	struct vfab_host *host = to_vhost(pd->device);
	struct vfab_mr *mr;
	unsigned long flags;

	xa_lock_irqsave(&host->mrs, flags);
	mr = xa_load(&host->mrs, key >> 8);
	if (mr && (mr->ibmr.lkey != key || mr->ibmr.pd != pd ||
		   !kref_get_unless_zero(&mr->ref)))
		mr = NULL;
	xa_unlock_irqrestore(&host->mrs, flags);
	return mr;
}

struct ib_mr *vfab_get_dma_mr(struct ib_pd *pd, int access)
{
	struct vfab_mr *mr = vfab_mr_alloc(pd, access);

	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->length = U64_MAX;
	vfab_mr_publish(mr);
	return &mr->ibmr;
}

static int vfab_mr_list_pages(struct vfab_mr *mr)
{
	struct sg_page_iter iter;
	unsigned int n = 0;

	mr->pages = kvcalloc(ib_umem_num_pages(mr->umem), sizeof(*mr->pages),
			     GFP_KERNEL);
	if (!mr->pages)
		return -ENOMEM;
	for_each_sgtable_page(&mr->umem->sgt_append.sgt, &iter, 0)
		mr->pages[n++] = sg_page_iter_page(&iter);
	return 0;
}

struct ib_mr *vfab_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
			       u64 iova, int access, struct ib_udata *udata)
{
	struct vfab_mr *mr;
	int ret;

	if (access & ~(IB_ACCESS_SUPPORTED & ~IB_ACCESS_ON_DEMAND))
		return ERR_PTR(-EOPNOTSUPP);
	mr = vfab_mr_alloc(pd, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->umem = ib_umem_get(pd->device, start, length, access);
	if (IS_ERR(mr->umem)) {
		ret = PTR_ERR(mr->umem);
		goto err_free;
	}
	mr->iova = iova;
	mr->length = length;
	mr->offset = ib_umem_offset(mr->umem);
	ret = vfab_mr_list_pages(mr);
	if (ret)
		goto err_umem;
	vfab_mr_publish(mr);
	return &mr->ibmr;
err_umem:
	ib_umem_release(mr->umem);
err_free:
	xa_erase_irq(&to_vhost(pd->device)->mrs, mr->ibmr.lkey >> 8);
	kfree(mr);
	return ERR_PTR(ret);
}

int vfab_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct vfab_mr *mr = to_vmr(ibmr);

	xa_erase_irq(&to_vhost(ibmr->device)->mrs, ibmr->lkey >> 8);
	vfab_mr_put(mr);
	wait_for_completion(&mr->gone);
	if (mr->umem)
		ib_umem_release(mr->umem);
	kvfree(mr->pages);
	kfree(mr);
	return 0;
}

/* @need: IB_ACCESS_*, 0 for a local read */
static bool vfab_mr_allows(const struct vfab_mr *mr, u64 va, u64 len, int need)
{
	if ((mr->access & need) != need)
		return false;
	return va >= mr->iova && len <= mr->length &&
	       va - mr->iova <= mr->length - len;
}

static void vfab_mr_copy_pages(struct vfab_mr *mr, u64 va, void *buf, u32 len,
			       bool to_mem)
{
	u64 pos = va - mr->iova + mr->offset;

	while (len) {
		struct page *page = mr->pages[pos >> PAGE_SHIFT];
		u32 off = offset_in_page(pos);
		u32 n = min_t(u32, len, PAGE_SIZE - off);

		if (to_mem)
			memcpy_to_page(page, off, buf, n);
		else
			memcpy_from_page(buf, page, off, n);
		pos += n;
		buf += n;
		len -= n;
	}
}

static void vfab_kernel_copy(u64 va, void *buf, u32 len, bool to_mem)
{
	void *mem = (void *)(uintptr_t)va;

	if (to_mem)
		memcpy(mem, buf, len);
	else
		memcpy(buf, mem, len);
}

static int vfab_mr_copy(struct ib_pd *pd, u32 key, u64 va, void *buf, u32 len,
			int need, bool to_mem)
{
	struct vfab_mr *mr = vfab_mr_get(pd, key);
	int ret = 0;

	if (!mr)
		return -EFAULT;
	if (!vfab_mr_allows(mr, va, len, need))
		ret = -EFAULT;
	else if (mr->umem)
		vfab_mr_copy_pages(mr, va, buf, len, to_mem);
	else
		vfab_kernel_copy(va, buf, len, to_mem);
	vfab_mr_put(mr);
	return ret;
}

/* All of kernel memory has this key, so no user may use it. */
static bool vfab_is_local_dma(struct ib_pd *pd, u32 lkey)
{
	return lkey == VFAB_LOCAL_DMA_LKEY && !pd->uobject;
}

/*
 * Copy @len bytes between @buf and the scatter list, @off bytes into it.
 * Returns 0, or -EFAULT if the list is too short or may not be used like this.
 */
int vfab_sge_copy(struct ib_pd *pd, const struct ib_sge *sge, int num_sge,
		  u32 off, void *buf, u32 len, bool to_mem)
{
	for (; num_sge && len; num_sge--, sge++) {
		u32 n;
		int ret;

		if (off >= sge->length) {
			off -= sge->length;
			continue;
		}
		n = min(len, sge->length - off);
		if (vfab_is_local_dma(pd, sge->lkey)) {
			vfab_kernel_copy(sge->addr + off, buf, n, to_mem);
		} else {
			ret = vfab_mr_copy(pd, sge->lkey, sge->addr + off, buf,
					   n, to_mem ? IB_ACCESS_LOCAL_WRITE : 0,
					   to_mem);
			if (ret)
				return ret;
		}
		buf += n;
		len -= n;
		off = 0;
	}
	return len ? -EFAULT : 0;
}

/* May the peer use [va, va + len) in this way? 0 or -EFAULT */
int vfab_rkey_check(struct ib_pd *pd, u32 rkey, u64 va, u64 len, int access)
{
	struct vfab_mr *mr;
	int ret = 0;

	if (!len)	/* the key of an empty access is not looked at */
		return 0;
	mr = vfab_mr_get(pd, rkey);
	if (!mr)
		return -EFAULT;
	if (!vfab_mr_allows(mr, va, len, access))
		ret = -EFAULT;
	vfab_mr_put(mr);
	return ret;
}

/* Copy for the peer, which must hold the rights @access. 0 or -EFAULT */
int vfab_rkey_copy(struct ib_pd *pd, u32 rkey, u64 va, void *buf, u32 len,
		   int access, bool to_mem)
{
	return len ? vfab_mr_copy(pd, rkey, va, buf, len, access, to_mem) : 0;
}
