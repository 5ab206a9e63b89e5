! SPDX-License-Identifier: MIT
! Calls every primitive through the module, and its helpers; fails if a result is wrong.
program every_primitive
    use crosslane
    use crosslane_opencl
    implicit none

    interface put
        procedure put_i32, put_i64, put_f32
    end interface
    integer(c_int32_t), parameter :: PI(5) = [3, 1, 4, 1, 5], NINES(5) = 9
    real(c_float), parameter :: POINTS(3, 3) = reshape([0., 0., 0., 1., 0., 0., 5., 0., 0.], [3, 3])
    integer :: wrong = 0, visits
    type(c_ptr) :: ctx, queue, plan
    type(xl_device_info) :: info
    type(xl_plan_details) :: details
    integer(c_size_t) :: bytes

    call check(xl_context_create(ctx=ctx))
    queue = xl_context_queue(ctx)
    call arrays()
    call places()
    call simple()
    call helpers()
    call xl_context_destroy(ctx)
    if (wrong > 0) error stop 'wrong results'
    print '(a)', 'every primitive gave the results wanted'

contains

    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status == XL_SUCCESS) return
        print '(3a)', xl_string(xl_status_name(status)), ': ', xl_error_text(ctx)
        error stop
    end subroutine

    subroutine expect(right, name)
        logical, intent(in) :: right
        character(len=*), intent(in) :: name
        if (right) return
        print '(2a)', 'wrong: ', name
        wrong = wrong + 1
    end subroutine

    ! Views of new buffers; this short program releases none.
    type(xl_view) function put_i32(x)
        integer(c_int32_t), intent(in) :: x(:)
        put_i32 = xl_view_of(clCreateBuffer(xl_context_cl(ctx), CL_MEM_COPY_HOST_PTR, size(x, &
            kind=c_size_t) * 4, x))
    end function
    type(xl_view) function put_i64(x)
        integer(c_int64_t), intent(in) :: x(:)
        put_i64 = xl_view_of(clCreateBuffer(xl_context_cl(ctx), CL_MEM_COPY_HOST_PTR, size(x, &
            kind=c_size_t) * 8, x))
    end function
    type(xl_view) function put_f32(x)
        real(c_float), intent(in) :: x(:)
        put_f32 = xl_view_of(clCreateBuffer(xl_context_cl(ctx), CL_MEM_COPY_HOST_PTR, size(x, &
            kind=c_size_t) * 4, x))
    end function

    subroutine expect_i32(name, view, wanted)
        character(len=*), intent(in) :: name
        type(xl_view), intent(in) :: view
        integer(c_int32_t), intent(in) :: wanted(:)
        integer(c_int32_t) :: got(size(wanted))
        call expect(clEnqueueReadBuffer(queue, view%buffer, CL_TRUE, 0_c_size_t, size(got, &
            kind=c_size_t) * 4, got, 0) == 0, name)
        call expect(all(got == wanted), name)
    end subroutine

    subroutine expect_i64(name, view, wanted)
        character(len=*), intent(in) :: name
        type(xl_view), intent(in) :: view
        integer(c_int64_t), intent(in) :: wanted(:)
        integer(c_int64_t) :: got(size(wanted))
        call expect(clEnqueueReadBuffer(queue, view%buffer, CL_TRUE, 0_c_size_t, size(got, &
            kind=c_size_t) * 8, got, 0) == 0, name)
        call expect(all(got == wanted), name)
    end subroutine

    ! What each plan can do, and its end.
    subroutine finish(name)
        character(len=*), intent(in) :: name
        call check(xl_plan_info(plan, 5_c_size_t, details))
        call expect(c_associated(xl_plan_context(plan), ctx), name)
        call xl_plan_destroy(plan)
    end subroutine

    subroutine arrays()
        type(xl_scan_desc) :: scan
        type(xl_scan_args) :: scan_args
        type(xl_reduce_desc) :: reduce
        type(xl_reduce_args) :: reduce_args
        type(xl_sort_desc) :: sort
        type(xl_sort_args) :: sort_args
        type(xl_top_k_desc) :: top_k
        type(xl_top_k_args) :: top_k_args
        type(xl_merge_desc) :: merge
        type(xl_merge_args) :: merge_args
        type(xl_search_desc) :: search
        type(xl_search_args) :: search_args
        type(xl_select_desc) :: select
        type(xl_select_args) :: select_args
        type(xl_histogram_desc) :: histogram
        type(xl_histogram_args) :: histogram_args
        type(xl_transform_desc) :: transform
        type(xl_transform_args) :: transform_args
        character(len=:), allocatable, target :: text
        type(c_ptr) :: first(1), second

        call xl_scan_desc_init(scan)
        call check(xl_scan_create(ctx, scan, plan))
        scan_args%n = 5
        scan_args%in = put(PI)
        scan_args%out = put(NINES)
        call check(xl_scan_scratch(plan, scan_args, bytes))
        call check(xl_plan_prepare(plan, scan_args))
        call check(xl_scan_enqueue(plan, queue, scan_args, 0, event=first(1)))
        call check(xl_scan_enqueue(plan, queue, scan_args, 1, first, second))
        call expect(clReleaseEvent(first(1)) == 0 .and. clReleaseEvent(second) == 0, 'events')
        call expect_i32('scan', scan_args%out, [0, 3, 4, 8, 9])
        call finish('scan')

        call xl_reduce_desc_init(reduce)
        call check(xl_reduce_create(ctx, reduce, plan))
        reduce_args%n = 5
        reduce_args%in = put(PI)
        reduce_args%out = put([0])
        call check(xl_reduce_scratch(plan, reduce_args, bytes))
        call check(xl_reduce_enqueue(plan, queue, reduce_args, 0))
        call expect_i32('reduce', reduce_args%out, [14])
        call finish('reduce')

        call xl_sort_desc_init(sort)
        sort%value = XL_SORT_INDICES
        call check(xl_sort_create(ctx, sort, plan))
        sort_args%n = 5
        sort_args%keys_in = put(PI)
        sort_args%keys_out = put(NINES)
        sort_args%values_out = put(NINES)
        call check(xl_sort_scratch(plan, sort_args, bytes))
        call check(xl_sort_enqueue(plan, queue, sort_args, 0))
        call expect_i32('sort', sort_args%keys_out, [1, 1, 3, 4, 5])
        call finish('sort')

        call xl_top_k_desc_init(top_k)
        call check(xl_top_k_create(ctx, top_k, plan))
        top_k_args%n = 5
        top_k_args%k = 2
        top_k_args%keys_in = put(PI)
        top_k_args%keys_out = put([0, 0])
        call check(xl_top_k_scratch(plan, top_k_args, bytes))
        call check(xl_top_k_enqueue(plan, queue, top_k_args, 0))
        call expect_i32('top_k', top_k_args%keys_out, [5, 4])
        call finish('top_k')

        call xl_merge_desc_init(merge)
        call check(xl_merge_create(ctx, merge, plan))
        merge_args%n_a = 3
        merge_args%n_b = 2
        merge_args%keys_a = put([1, 3, 5])
        merge_args%keys_b = put([2, 3])
        merge_args%keys_out = put(NINES)
        call check(xl_merge_scratch(plan, merge_args, bytes))
        call check(xl_merge_enqueue(plan, queue, merge_args, 0))
        call expect_i32('merge', merge_args%keys_out, [1, 2, 3, 3, 5])
        call finish('merge')

        call xl_search_desc_init(search)
        call check(xl_search_create(ctx, search, plan))
        search_args%n = 3
        search_args%num_queries = 2
        search_args%keys = merge_args%keys_a
        search_args%queries = merge_args%keys_b
        search_args%indices_out = put([9_c_int64_t, 9_c_int64_t])
        call check(xl_search_scratch(plan, search_args, bytes))
        call check(xl_search_enqueue(plan, queue, search_args, 0))
        call expect_i64('search', search_args%indices_out, [1_c_int64_t, 1_c_int64_t])
        call finish('search')

        call xl_select_desc_init(select)
        text = 'x > 3'//c_null_char
        select%predicate = c_loc(text)
        call check(xl_select_create(ctx, select, plan))
        select_args%n = 5
        select_args%in = put(PI)
        select_args%capacity = 2
        select_args%out = put([9, 9])
        call check(xl_select_scratch(plan, select_args, bytes))
        call check(xl_select_enqueue(plan, queue, select_args, 0))
        call expect_i32('select', select_args%out, [4, 5])
        call finish('select')

        call xl_histogram_desc_init(histogram)
        histogram%type = XL_U32
        histogram%kind = XL_HISTOGRAM_KEYS
        histogram%num_bins = 5
        call check(xl_histogram_create(ctx, histogram, plan))
        histogram_args%n = 5
        histogram_args%in = put(PI)
        histogram_args%bins = put(NINES)
        call check(xl_histogram_scratch(plan, histogram_args, bytes))
        call check(xl_histogram_enqueue(plan, queue, histogram_args, 0))
        call expect_i32('histogram', histogram_args%bins, [0, 2, 0, 1, 1])
        call finish('histogram')

        call xl_transform_desc_init(transform)
        transform%types(1) = XL_U32
        text = '2 * x'//c_null_char
        transform%expression = c_loc(text)
        call check(xl_transform_create(ctx, transform, plan))
        transform_args%n = 5
        transform_args%in(1) = put(PI)
        transform_args%out(1) = put(NINES)
        call check(xl_transform_scratch(plan, transform_args, bytes))
        call check(xl_transform_enqueue(plan, queue, transform_args, 0))
        call expect_i32('transform', transform_args%out(1), 2 * PI)
        call finish('transform')
    end subroutine

    subroutine set_box(space)
        type(xl_space), intent(inout) :: space
        integer :: a
        do a = 1, 3
            space%cell(a, a) = 8
        end do
    end subroutine

    subroutine places()
        type(xl_morton_desc) :: morton
        type(xl_morton_args) :: morton_args
        type(xl_nearest_approximate_desc) :: approximate
        type(xl_nearest_approximate_args) :: approximate_args
        type(xl_grid_desc) :: desc
        type(xl_grid_build_args) :: build
        type(xl_grid_report) :: report
        type(xl_grid_reorder_args) :: reorder
        type(xl_grid_moved_args) :: moved
        type(xl_neighbors_desc) :: near
        type(xl_neighbors_args) :: near_args
        type(xl_neighbors_report) :: near_report
        type(xl_neighbors_kernel_args) :: bind
        type(xl_nearest_desc) :: nearest
        type(xl_nearest_args) :: nearest_args
        type(xl_nearest_report) :: nearest_report
        type(c_ptr) :: grid, index, event, program
        type(xl_view) :: x
        integer(c_int32_t) :: next
        x = put(reshape(POINTS, [9]))

        call xl_morton_desc_init(morton)
        call set_box(morton%space)
        call check(xl_morton_create(ctx, morton, plan))
        morton_args%n = 3
        morton_args%points = x
        morton_args%codes = put([9_c_int64_t, 9_c_int64_t, 9_c_int64_t])
        call check(xl_morton_scratch(plan, morton_args, bytes))
        call check(xl_morton_enqueue(plan, queue, morton_args, 0))
        call expect_i64('morton', morton_args%codes, [0_c_int64_t, shiftl(1_c_int64_t, 54), &
            shiftl(65_c_int64_t, 54)])
        call finish('morton')

        call xl_nearest_approximate_desc_init(approximate)
        approximate%k = 1
        call set_box(approximate%space)
        call check(xl_nearest_approximate_create(ctx, approximate, plan))
        approximate_args%n = 3
        approximate_args%points = x
        approximate_args%indices = put(NINES)
        approximate_args%distances2 = put([0., 0., 0.])
        call check(xl_nearest_approximate_scratch(plan, approximate_args, bytes))
        call check(xl_nearest_approximate_enqueue(plan, queue, approximate_args, 0))
        call expect_i32('nearest_approximate', approximate_args%indices, [1, 0, 1])
        call finish('nearest_approximate')

        call xl_grid_desc_init(desc)
        desc%cell_size = 2
        call check(xl_grid_create(ctx, desc, grid))
        call check(xl_grid_index_create(ctx, index))
        build%n = 3
        build%points = x
        call check(xl_grid_scratch(grid, build, bytes))
        call check(xl_grid_build_enqueue(grid, index, queue, build, 0))
        call check(xl_grid_index_status(index, queue, report, 0))
        call expect(report%points == 3 .and. report%first_non_finite == -1, 'grid')
        call check(xl_grid_index_event(index, event))
        call expect(clReleaseEvent(event) == 0, 'event')
        reorder%element_bytes = 4
        reorder%in = put([7, 8, 9])
        reorder%out = put(NINES)
        call check(xl_grid_reorder_enqueue(grid, index, queue, reorder, 0))
        reorder%back = 1
        reorder%in = reorder%out
        reorder%out = put(NINES)
        call check(xl_grid_reorder_enqueue(grid, index, queue, reorder, 0))
        call expect_i32('reorder', reorder%out, [7, 8, 9])
        moved%points = x
        moved%moved = put(NINES)
        call check(xl_grid_moved_enqueue(grid, index, queue, moved, 0))
        call expect_i32('moved', moved%moved, [0])

        call xl_neighbors_desc_init(near)
        near%radius = 2
        call check(xl_neighbors_create(grid, near, plan))
        near_args%capacity = 2
        near_args%offsets = put([9_c_int64_t, 9_c_int64_t, 9_c_int64_t, 9_c_int64_t])
        near_args%indices = put(NINES)
        near_args%num_queries = 3
        call check(xl_neighbors_scratch(plan, near_args, bytes))
        call check(xl_neighbors_enqueue(plan, index, queue, near_args, 0))
        call check(xl_neighbors_count_enqueue(plan, index, queue, near_args, 0))
        call check(xl_neighbors_fill_enqueue(plan, index, queue, near_args, 0))
        call check(xl_neighbors_status(plan, index, queue, near_args, near_report, 0))
        call expect(near_report%pairs == 2, 'neighbors')
        call expect_i32('neighbors', near_args%indices, [1, 0])
        call finish('neighbors')

        call xl_nearest_desc_init(nearest)
        nearest%k = 1
        call check(xl_nearest_create(grid, nearest, plan))
        nearest_args%indices = put(NINES)
        call check(xl_nearest_scratch(plan, nearest_args, bytes))
        call check(xl_nearest_enqueue(plan, index, queue, nearest_args, 0))
        call check(xl_nearest_status(plan, index, queue, nearest_args, nearest_report, 0))
        call expect(nearest_report%rows == 3, 'nearest')
        call expect_i32('nearest', nearest_args%indices, [1, 0, 1])
        call finish('nearest')

        call check(xl_program_create(ctx, '#include <crosslane/neighbors.cl>'//new_line('a')// &
            'kernel void f(XL_NEIGHBORS_PARAMETERS(p)) {}'//c_null_char, '-DN=3'//c_null_char, program))
        bind%kernel = clCreateKernel(program, 'f'//c_null_char)
        bind%radius = 2
        call check(xl_grid_index_set_kernel_args(index, bind, next))
        call expect(next > 0, 'set_kernel_args')
        call expect(clReleaseKernel(bind%kernel) == 0 .and. clReleaseProgram(program) == 0, 'program')
        call xl_grid_index_destroy(index)
        call xl_plan_destroy(grid)
    end subroutine

    subroutine simple()
        integer(c_int32_t) :: x(5), out(5), order(5)
        integer(c_int64_t) :: wide(5), bins(2)
        real(c_double) :: values(5)
        integer(c_int32_t) :: greatest
        integer(c_size_t), parameter :: n = 5
        integer(c_size_t) :: count
        type(xl_neighbor_list) :: list
        integer(c_int32_t), pointer :: indices(:)
        x = PI
        call check(xl_simple_inclusive_sum(ctx, XL_I32, XL_I64, n, x, wide))
        call expect(all(wide == [3, 4, 8, 9, 14]), 'inclusive_sum')
        call check(xl_simple_exclusive_sum(ctx, XL_I32, XL_I32, n, x, out))
        call expect(all(out == [0, 3, 4, 8, 9]), 'exclusive_sum')
        call check(xl_simple_reduce(ctx, XL_I32, XL_MAX, XL_I32, n, x, greatest))
        call expect(greatest == 5, 'reduce of simple')
        call check(xl_simple_argsort(ctx, XL_I32, XL_ASCENDING, n, x, order))
        call expect(all(order == [1, 3, 0, 2, 4]), 'argsort')
        call check(xl_simple_top_k(ctx, XL_I32, XL_DESCENDING, n, x, 2_c_size_t, indices=order))
        call expect(order(1) == 4 .and. order(2) == 2, 'top_k of simple')
        call check(xl_simple_histogram(ctx, XL_I32, n, x, 0d0, 4d0, 2_c_size_t, bins))
        call expect(all(bins == [2, 1]), 'histogram of simple')
        values = [0, 1, 2, 3, 4]
        call check(xl_simple_sort(ctx, XL_I32, XL_ASCENDING, n, x, 8_c_size_t, values))
        call expect(all(x == [1, 1, 3, 4, 5]) .and. all(nint(values) == [1, 3, 0, 2, 4]), 'sort of simple')
        call check(xl_simple_unique(ctx, XL_I32, n, x, out, count))
        call expect(count == 4 .and. out(4) == 5, 'unique')
        call check(xl_simple_neighbors(ctx, n=3_c_size_t, points=POINTS, radius=2d0, details=0, list=list))
        call c_f_pointer(list%indices, indices, [2])
        call expect(list%n == 3 .and. all(indices == [1, 0]), 'neighbors of simple')
        call xl_simple_free(list)
        call expect(.not. c_associated(list%indices), 'free')
        call check(xl_simple_nearest(ctx, n=3_c_size_t, points=POINTS, k=1, details=XL_LIST_DISTANCES, &
            list=list))
        call expect(c_associated(list%distances), 'nearest of simple')
        call xl_simple_free(list)
    end subroutine

    subroutine count_tunable(user, info) bind(c)
        type(c_ptr), value :: user
        type(xl_tunable_info), intent(in) :: info
        integer, pointer :: number
        call c_f_pointer(user, number)
        if (index(xl_string(info%name), '.') > 0) number = number + 1
    end subroutine

    subroutine count_device(user, platform, device, pid, did) bind(c)
        type(c_ptr), value :: user, pid, did
        integer(c_int32_t), value :: platform, device
        integer, pointer :: number
        call c_f_pointer(user, number)
        if (platform >= 0 .and. device >= 0 .and. c_associated(pid) .and. &
            c_associated(did)) number = number + 1
    end subroutine

    subroutine helpers()
        type(xl_sort_desc) :: sort
        type(xl_context_desc) :: settings
        type(xl_view) :: view
        type(c_ptr) :: none, adopted
        integer, target :: number
        character(len=:), allocatable, target :: device
        call xl_sort_desc_init(sort)
        sort%key = 12345
        call expect(xl_sort_create(ctx, sort, none) == XL_ERROR_INVALID_ARGUMENT .and. &
            .not. c_associated(none), 'a status')
        call expect(index(xl_error_text(ctx), 'desc.key: unknown (12345)') == 1, 'the text of an error')
        call expect(xl_string(xl_status_name(XL_ERROR_CAPACITY)) == 'XL_ERROR_CAPACITY', &
            'the name of a status')
        call xl_context_desc_init(settings)
        device = 'no such device'//c_null_char
        settings%device = c_loc(device)
        call expect(xl_context_create(settings, none) == XL_ERROR_NO_DEVICE, 'no device')
        call expect(index(xl_error_text(c_null_ptr), 'no such device') > 0, 'the text of an error without a context')
        call check(xl_context_adopt(xl_context_cl(ctx), xl_context_device(ctx), ctx=adopted))
        call expect(c_associated(xl_context_cl(adopted), xl_context_cl(ctx)) .and. &
            xl_string(xl_context_cache(adopted)) /= '', 'adopt')
        call xl_context_destroy(adopted)
        call check(xl_context_device_info(ctx, info))
        call expect(len(xl_string(info%name)) > 0 .and. info%compute_units > 0, 'device_info')
        number = 0
        visits = xl_tunables_each(ctx, c_funloc(count_tunable), c_loc(number))
        call expect(visits > 0 .and. visits == number, 'tunables')
        number = 0
        visits = xl_devices_each(c_funloc(count_device), c_loc(number))
        call expect(visits > 0 .and. visits == number, 'devices')
        view = xl_view_n(c_loc(number), 2, 7)
        call expect(c_associated(view%buffer) .and. view%offset == 2 .and. view%count == 7, 'view_n')
        view = xl_view_of(c_loc(number), 5_c_size_t)
        call expect(view%offset == 5 .and. view%count == 0, 'view_of')
        view = xl_no_view()
        call expect(.not. c_associated(view%buffer), 'no_view')
        call expect(xl_type_of(number) == XL_I32 .and. xl_type_of(POINTS) == XL_F32 .and. xl_type_of([1d0]) == XL_F64 .and. &
            xl_type_of(1_c_int8_t) == XL_I8 .and. xl_type_of(1_c_int16_t) == XL_I16 .and. &
                xl_type_of(1_c_int64_t) == XL_I64, 'type_of')
        call expect(xl_type_size(XL_F64) == 8 .and. xl_string(xl_type_name(XL_U8)) == 'u8' .and. &
            xl_string(xl_op_name(XL_SUM)) == 'sum', 'names')
        call expect(xl_bytes(12) == 131084 .and. xl_version() == XL_VERSION_NUMBER .and. &
            xl_string(xl_version_string()) /= '', 'version')
    end subroutine
end program
