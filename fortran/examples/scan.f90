! SPDX-License-Identifier: MIT
! Running totals of ten numbers: of an array in one call, and in place in a buffer by a plan.
program scan
    use crosslane
    use crosslane_opencl
    implicit none
    integer(c_int32_t) :: x(10) = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3], sums(10)
    type(c_ptr) :: ctx, queue, plan, buffer
    type(xl_scan_desc) :: desc
    type(xl_scan_args) :: args

    call check(xl_context_create(ctx=ctx))
    call check(xl_simple_inclusive_sum(ctx, xl_type_of(x), xl_type_of(x), size(x, kind=c_size_t), x, sums))
    print '(10(i0, 1x))', sums ! 3 4 8 ... 39

    call xl_scan_desc_init(desc)
    desc%type = xl_type_of(x)
    desc%kind = XL_INCLUSIVE
    call check(xl_scan_create(ctx, desc, plan))
    queue = xl_context_queue(ctx)
    buffer = clCreateBuffer(xl_context_cl(ctx), CL_MEM_COPY_HOST_PTR, c_sizeof(x), x)
    args%n = size(x)
    args%in = xl_view_of(buffer)
    args%out = xl_view_of(buffer)
    call check(xl_scan_enqueue(plan, queue, args, 0))
    if (clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0_c_size_t, c_sizeof(x), x, 0) /= CL_SUCCESS) error stop 'no result'
    if (clReleaseMemObject(buffer) /= CL_SUCCESS) error stop 'no buffer'
    call xl_plan_destroy(plan)
    call xl_context_destroy(ctx)
    if (any(x /= sums) .or. x(10) /= 39) error stop 'wrong totals'

contains

    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status == XL_SUCCESS) return
        print '(3a)', xl_string(xl_status_name(status)), ': ', xl_error_text(ctx)
        error stop
    end subroutine
end program
