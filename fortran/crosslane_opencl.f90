! SPDX-License-Identifier: MIT
! The functions of OpenCL that a program with Crosslane needs: buffers, transfers, kernels, events.
! Each returns OpenCL's code, 0 for success, unless it makes an object. Handles are type(c_ptr). Any
! other binding of OpenCL whose handles are type(c_ptr) will do as well.
module crosslane_opencl
    use, intrinsic :: iso_c_binding
    implicit none

    integer(c_int64_t), parameter :: CL_MEM_READ_WRITE = 1, CL_MEM_WRITE_ONLY = 2, CL_MEM_READ_ONLY = 4, &
        CL_MEM_COPY_HOST_PTR = 32
    integer(c_int32_t), parameter :: CL_SUCCESS = 0, CL_FALSE = 0, CL_TRUE = 1

    interface
        ! host: with CL_MEM_COPY_HOST_PTR the array whose first `bytes` the buffer receives.
        function clCreateBuffer(context, flags, bytes, host, code) bind(c, name='clCreateBuffer')
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: flags
            integer(c_size_t), value :: bytes
            type(*), intent(in), optional :: host(*)
            integer(c_int32_t), intent(out), optional :: code
            type(c_ptr) :: clCreateBuffer
        end function
        function clReleaseMemObject(buffer) bind(c, name='clReleaseMemObject')
            import
            type(c_ptr), value :: buffer
            integer(c_int32_t) :: clReleaseMemObject
        end function
        ! With CL_FALSE `host` must be asynchronous and stay unused until the event completes.
        function clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, host, num_waits, waits, event) &
            bind(c, name='clEnqueueReadBuffer')
            import
            type(c_ptr), value :: queue, buffer
            integer(c_int32_t), value :: blocking, num_waits
            integer(c_size_t), value :: offset, bytes
            type(*), intent(inout) :: host(*)
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int32_t) :: clEnqueueReadBuffer
        end function
        function clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, host, num_waits, waits, event) &
            bind(c, name='clEnqueueWriteBuffer')
            import
            type(c_ptr), value :: queue, buffer
            integer(c_int32_t), value :: blocking, num_waits
            integer(c_size_t), value :: offset, bytes
            type(*), intent(in) :: host(*)
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int32_t) :: clEnqueueWriteBuffer
        end function
        function clFinish(queue) bind(c, name='clFinish')
            import
            type(c_ptr), value :: queue
            integer(c_int32_t) :: clFinish
        end function
        function clReleaseEvent(event) bind(c, name='clReleaseEvent')
            import
            type(c_ptr), value :: event
            integer(c_int32_t) :: clReleaseEvent
        end function
        ! name: ends with c_null_char
        function clCreateKernel(program, name, code) bind(c, name='clCreateKernel')
            import
            type(c_ptr), value :: program
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), intent(out), optional :: code
            type(c_ptr) :: clCreateKernel
        end function
        ! value: one variable of this number of bytes
        function clSetKernelArg(kernel, position, bytes, value) bind(c, name='clSetKernelArg')
            import
            type(c_ptr), value :: kernel
            integer(c_int32_t), value :: position
            integer(c_size_t), value :: bytes
            type(*), intent(in) :: value
            integer(c_int32_t) :: clSetKernelArg
        end function
        ! offset, local_size: absent for 0 and for sizes that OpenCL chooses
        function clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global_size, local_size, num_waits, waits, event) &
            bind(c, name='clEnqueueNDRangeKernel')
            import
            type(c_ptr), value :: queue, kernel
            integer(c_int32_t), value :: dimensions, num_waits
            integer(c_size_t), intent(in) :: global_size(*)
            integer(c_size_t), intent(in), optional :: offset(*), local_size(*)
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int32_t) :: clEnqueueNDRangeKernel
        end function
        function clReleaseKernel(kernel) bind(c, name='clReleaseKernel')
            import
            type(c_ptr), value :: kernel
            integer(c_int32_t) :: clReleaseKernel
        end function
        function clReleaseProgram(program) bind(c, name='clReleaseProgram')
            import
            type(c_ptr), value :: program
            integer(c_int32_t) :: clReleaseProgram
        end function
    end interface
end module
