! SPDX-License-Identifier: MIT
! The atoms of a Lennard-Jones liquid in a periodic box: examples/11_lennard_jones.c in Fortran, with
! the same steps and the same bytes in the file of --out. A kernel computes forces and energies in a
! loop over the neighbours in an index. Checks that momentum and energy are conserved.
program lennard_jones
    use crosslane
    use crosslane_opencl
    implicit none

    interface ! C's mathematics, whose last bits those of Fortran may not have
        pure real(c_double) function c_cbrt(x) bind(c, name='cbrt')
            import
            real(c_double), value :: x
        end function
        pure real(c_double) function c_pow(x, y) bind(c, name='pow')
            import
            real(c_double), value :: x, y
        end function
    end interface

    real(c_double), parameter :: CUT = 2.5d0, DENSITY = 0.8442d0, TEMPERATURE = 1.44d0
    real(c_float), parameter :: STEP = 0.004
    integer, parameter :: REPORTS = 10
    character, parameter :: NL = new_line('a')
    character(len=*), parameter :: SOURCE = '#include <crosslane/neighbors.cl>'//NL// &
        '__kernel void forces(XL_NEIGHBORS_PARAMETERS(atoms), float shift, __global float4 *force)'//NL// &
        '{'//NL// &
        '    const xl_neighbors atoms = XL_NEIGHBORS_LOAD(atoms);'//NL// &
        '    const uint k = (uint)get_global_id(0);'//NL// &
        '    if (k >= xl_neighbors_points(&atoms))'//NL// &
        '        return;'//NL// &
        '    xl_neighbor near = xl_neighbors_of(&atoms, k);'//NL// &
        '    float4 sum = (float4)(0.0f);'//NL// &
        '    XL_FOR_NEIGHBORS(near, atoms) {'//NL// &
        '        const float r2 = 1.0f / near.distance2, r6 = r2 * r2 * r2;'//NL// &
        '        sum -= near.vector * (48.0f * r6 * (r6 - 0.5f) * r2);'//NL// &
        '        sum.w += 2.0f * (r6 * (r6 - 1.0f) - shift);'//NL// &
        '    }'//NL// &
        '    force[near.self] = near.incomplete ? (float4)(NAN) : sum;'//NL// &
        '}'//NL// &
        'float4 half_a_kick(float step, float4 force)'//NL// &
        '{'//NL// &
        '    return (float4)(0.5f * step * force.xyz, 0.0f);'//NL// &
        '}'//NL// &
        '__kernel void drift(uint n, float step, float edge, __global const float4 *force,'//NL// &
        '                    __global float4 *velocity, __global float4 *position)'//NL// &
        '{'//NL// &
        '    const uint i = (uint)get_global_id(0);'//NL// &
        '    if (i >= n)'//NL// &
        '        return;'//NL// &
        '    const float4 v = velocity[i] + half_a_kick(step, force[i]);'//NL// &
        '    const float4 p = position[i] + step * v;'//NL// &
        '    velocity[i] = v;'//NL// &
        '    position[i] = clamp(p - edge * floor(p / edge), 0.0f, edge);'//NL// &
        '}'//NL// &
        '__kernel void kick(uint n, float step, __global const float4 *force,'//NL// &
        '                   __global float4 *velocity)'//NL// &
        '{'//NL// &
        '    const uint i = (uint)get_global_id(0);'//NL// &
        '    if (i < n)'//NL// &
        '        velocity[i] += half_a_kick(step, force[i]);'//NL// &
        '}'//NL//c_null_char

    integer :: side = 12, steps = 300, n, done, report_number, until
    character(len=1024) :: out = ''
    real(c_float) :: edge, shift
    real(c_float), allocatable :: p(:, :), v(:, :), f(:, :) ! x, y, z, and of a force the energy
    real(c_double) :: kinetic, potential, momentum(3), first
    type(c_ptr) :: ctx, queue, grid, index, program, forces, drift, kick, position, velocity, force

    call read_options()
    call place_atoms()
    call check(xl_context_create(ctx=ctx))
    queue = xl_context_queue(ctx)
    call make_plans()
    print '(i0, a, i0, a)', n, ' atoms, ', steps, ' steps'
    print '(a6, 3a13)', 'step', 'kinetic', 'potential', 'energy'
    call find_forces()
    call report(0)
    first = kinetic + potential
    done = 0
    do report_number = 1, REPORTS
        until = int(int(steps, c_int64_t) * report_number / REPORTS)
        do done = done, until - 1
            call launch(drift)
            call find_forces()
            call launch(kick)
        end do
        call report(done)
    end do
    call write_state()
    call finish()
    if (abs(kinetic + potential - first) / n > 2d-3) error stop 'energy is not conserved'
    if (maxval(abs(momentum)) > 1d-5 * n * sqrt(2 * kinetic / n)) error stop 'momentum is not conserved'

contains

    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status == XL_SUCCESS) return
        print '(3a)', xl_string(xl_status_name(status)), ': ', xl_error_text(ctx)
        error stop
    end subroutine

    subroutine check_cl(code)
        integer(c_int32_t), intent(in) :: code
        if (code == CL_SUCCESS) return
        print '(a, i0)', 'OpenCL: ', code
        error stop
    end subroutine

    subroutine read_options()
        character(len=1024) :: name, text
        integer :: i, failed
        failed = 0
        do i = 1, command_argument_count(), 2
            call get_command_argument(i, name)
            call get_command_argument(i + 1, text)
            if (name == '--n-side') then
                read (text, *, iostat=failed) side
            else if (name == '--steps') then
                read (text, *, iostat=failed) steps
            else if (name == '--out') then
                out = text
            else
                failed = 1
            end if
            if (failed /= 0 .or. side < 5 .or. side > 400 .or. steps < 1) &
                error stop 'Usage: lennard_jones [--n-side N] [--steps S] [--out FILE]; N from 5 to 400'
        end do
    end subroutine

    ! ---- the liquid ----

    ! a + b and a * b modulo 2^64, of which Fortran knows nothing.
    pure integer(c_int64_t) function sum_mod(a, b)
        integer(c_int64_t), intent(in) :: a, b
        integer(c_int64_t) :: low
        low = ibits(a, 0, 32) + ibits(b, 0, 32)
        sum_mod = ior(ishft(ibits(a, 32, 32) + ibits(b, 32, 32) + ishft(low, -32), 32), ibits(low, 0, 32))
    end function

    pure integer(c_int64_t) function product_mod(a, b)
        integer(c_int64_t), intent(in) :: a, b
        integer(c_int64_t) :: part
        integer :: k
        product_mod = 0
        do k = 0, 48, 16
            part = sum_mod(ibits(a, 0, 32) * ibits(b, k, 16), ishft(ibits(a, 32, 32) * ibits(b, k, 16), 32))
            product_mod = sum_mod(product_mod, ishft(part, k))
        end do
    end function

    ! splitmix64
    real(c_double) function unit_random(state)
        integer(c_int64_t), intent(inout) :: state
        integer(c_int64_t) :: z
        state = sum_mod(state, int(z'9e3779b97f4a7c15', c_int64_t))
        z = product_mod(ieor(state, ishft(state, -30)), int(z'bf58476d1ce4e5b9', c_int64_t))
        z = product_mod(ieor(z, ishft(z, -27)), int(z'94d049bb133111eb', c_int64_t))
        unit_random = real(ishft(ieor(z, ishft(z, -31)), -11), c_double) * 2d0**(-53)
    end function

    ! At a face-centred cubic lattice, a little off it, the momenta of all adding up to 0.
    subroutine place_atoms()
        real(c_double), parameter :: corner(3, 0:3) = &
            reshape([0d0, 0d0, 0d0, 0.5d0, 0.5d0, 0d0, 0.5d0, 0d0, 0.5d0, 0d0, 0.5d0, 0.5d0], [3, 4])
        real(c_double) :: cell, speed, off
        integer(c_int64_t) :: state
        integer :: i, a, at(3)
        state = 7
        n = 4 * side**3
        cell = c_cbrt(4 / DENSITY)
        speed = sqrt(12 * TEMPERATURE)
        edge = real(cell * side, c_float)
        shift = real(c_pow(CUT, -12d0) - c_pow(CUT, -6d0), c_float)
        allocate (p(4, 0:n - 1), v(4, 0:n - 1), f(4, 0:n - 1), source=0.0)
        do i = 0, n - 1
            at = [mod(i / 4, side), mod(i / 4 / side, side), i / 4 / side / side]
            do a = 1, 3
                off = 0.02d0 * unit_random(state)
                p(a, i) = real(cell * (at(a) + corner(a, mod(i, 4)) + off), c_float)
                v(a, i) = real(speed * (unit_random(state) - 0.5d0), c_float)
                if (mod(i, 2) == 1) v(a, i) = -v(a, i - 1)
            end do
        end do
    end subroutine

    subroutine report(at)
        integer, intent(in) :: at
        integer :: i
        call read_back(position, p)
        call read_back(velocity, v)
        call read_back(force, f)
        kinetic = 0
        potential = 0
        momentum = 0
        do i = 0, n - 1
            kinetic = kinetic + 0.5d0 * sum(real(v(:3, i), c_double)**2)
            momentum = momentum + v(:3, i)
            potential = potential + f(4, i)
        end do
        print '(i6, 3f13.6)', at, kinetic / n, potential / n, (kinetic + potential) / n
    end subroutine

    subroutine write_state()
        integer :: unit
        if (out == '') return
        open (newunit=unit, file=out, access='stream', form='unformatted', status='replace')
        write (unit) p, v, f
        close (unit)
    end subroutine

    ! ---- on the device ----

    type(c_ptr) function buffer_of(x)
        real(c_float), intent(in) :: x(4, n)
        integer(c_int32_t) :: code
        buffer_of = clCreateBuffer(xl_context_cl(ctx), CL_MEM_COPY_HOST_PTR, c_sizeof(x), x, code)
        call check_cl(code)
    end function

    subroutine read_back(buffer, x)
        type(c_ptr), intent(in) :: buffer
        real(c_float), intent(inout) :: x(4, n)
        call check_cl(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0_c_size_t, c_sizeof(x), x, 0))
    end subroutine

    subroutine make_plans()
        type(xl_grid_desc) :: desc
        integer :: a
        call xl_grid_desc_init(desc)
        desc%cell_size = CUT
        desc%stride = 4
        desc%space%bounds = XL_BOUNDS_GIVEN
        desc%space%periodic = 7
        do a = 1, 3
            desc%space%cell(a, a) = edge
        end do
        call check(xl_grid_create(ctx, desc, grid))
        call check(xl_grid_index_create(ctx, index))
        call check(xl_program_create(ctx, SOURCE, program=program))
        forces = clCreateKernel(program, 'forces'//c_null_char)
        drift = clCreateKernel(program, 'drift'//c_null_char)
        kick = clCreateKernel(program, 'kick'//c_null_char)
        position = buffer_of(p)
        velocity = buffer_of(v)
        force = buffer_of(f)
        call check_cl(clSetKernelArg(drift, 0, c_sizeof(n), n))
        call check_cl(clSetKernelArg(drift, 1, c_sizeof(STEP), STEP))
        call check_cl(clSetKernelArg(drift, 2, c_sizeof(edge), edge))
        call check_cl(clSetKernelArg(drift, 3, c_sizeof(force), force))
        call check_cl(clSetKernelArg(drift, 4, c_sizeof(velocity), velocity))
        call check_cl(clSetKernelArg(drift, 5, c_sizeof(position), position))
        call check_cl(clSetKernelArg(kick, 0, c_sizeof(n), n))
        call check_cl(clSetKernelArg(kick, 1, c_sizeof(STEP), STEP))
        call check_cl(clSetKernelArg(kick, 2, c_sizeof(force), force))
        call check_cl(clSetKernelArg(kick, 3, c_sizeof(velocity), velocity))
    end subroutine

    subroutine launch(kernel)
        type(c_ptr), intent(in) :: kernel
        call check_cl(clEnqueueNDRangeKernel(queue, kernel, 1, global_size=[int(n, c_size_t)], num_waits=0))
    end subroutine

    ! Where the atoms are now: an index of them, and the forces by it.
    subroutine find_forces()
        type(xl_grid_build_args) :: args
        type(xl_neighbors_kernel_args) :: bind
        integer(c_int32_t) :: next
        args%n = n
        args%points = xl_view_of(position)
        call check(xl_grid_build_enqueue(grid, index, queue, args, 0))
        bind%kernel = forces
        bind%radius = CUT
        call check(xl_grid_index_set_kernel_args(index, bind, next))
        call check_cl(clSetKernelArg(forces, next, c_sizeof(shift), shift))
        call check_cl(clSetKernelArg(forces, next + 1, c_sizeof(force), force))
        call launch(forces)
    end subroutine

    subroutine finish()
        call check_cl(clReleaseMemObject(position))
        call check_cl(clReleaseMemObject(velocity))
        call check_cl(clReleaseMemObject(force))
        call check_cl(clReleaseKernel(forces))
        call check_cl(clReleaseKernel(drift))
        call check_cl(clReleaseKernel(kick))
        call check_cl(clReleaseProgram(program))
        call xl_grid_index_destroy(index)
        call xl_plan_destroy(grid)
        call xl_context_destroy(ctx)
    end subroutine
end program
