! SPDX-License-Identifier: MIT
! Written by ci/fortran.py from include/declarations.h.
!
! The interface of Crosslane in Fortran 2018: the names, numbers and rules of the C headers, which
! are the reference. docs/fortran.md has the start and an example.
!
! Handles of C (xl_context *, xl_plan *, cl_mem, ...) are type(c_ptr). The components of a structure
! begin at 0; a descriptor gets its defaults from xl_X_desc_init(). An argument that may be NULL in C
! is optional. An array of the host is any contiguous array. Unsigned numbers are signed here: the
! greatest one, such as UINT32_MAX, is -1. A matrix of C, cell[i][j], is cell(j + 1, i + 1).
!
! Renamed, because Fortran does not tell upper from lower case:
!     structure xl_user_type is xl_user_type_t; the constant is XL_USER_TYPE
!     structure xl_user_op is xl_user_op_t; the constant is XL_USER_OP
!     macro XL_BYTES(n) is the function xl_bytes(n)
module crosslane
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
    implicit none
    private :: int8, int16, int32, int64, real32, real64

    enum, bind(c)
        enumerator :: XL_SCRATCH_ALIGNMENT = 256
        enumerator :: XL_SORT_INDICES = 65536
        enumerator :: XL_VERSION_MAJOR = 0
        enumerator :: XL_VERSION_MINOR = 1
        enumerator :: XL_VERSION_NUMBER = 100
        enumerator :: XL_VERSION_PATCH = 0
    end enum

    enum, bind(c) ! xl_status
        enumerator :: XL_SUCCESS = 0
        enumerator :: XL_ERROR_INVALID_ARGUMENT = 1
        enumerator :: XL_ERROR_OUT_OF_MEMORY = 2
        enumerator :: XL_ERROR_NO_DEVICE = 3
        enumerator :: XL_ERROR_UNSUPPORTED = 4
        enumerator :: XL_ERROR_BUILD = 5
        enumerator :: XL_ERROR_OPENCL = 6
        enumerator :: XL_ERROR_SCRATCH_TOO_SMALL = 7
        enumerator :: XL_ERROR_MISALIGNED = 8
        enumerator :: XL_ERROR_OVERLAP = 9
        enumerator :: XL_ERROR_NON_FINITE = 10
        enumerator :: XL_ERROR_OUT_OF_DOMAIN = 11
        enumerator :: XL_ERROR_CAPACITY = 12
        enumerator :: XL_ERROR_INTERNAL = 13
        enumerator :: XL_ERROR_MPI = 14
    end enum

    enum, bind(c) ! xl_type
        enumerator :: XL_NONE = 0
        enumerator :: XL_I8 = 1
        enumerator :: XL_U8 = 2
        enumerator :: XL_I16 = 3
        enumerator :: XL_U16 = 4
        enumerator :: XL_I32 = 5
        enumerator :: XL_U32 = 6
        enumerator :: XL_I64 = 7
        enumerator :: XL_U64 = 8
        enumerator :: XL_F16 = 9
        enumerator :: XL_F32 = 10
        enumerator :: XL_F64 = 11
        enumerator :: XL_I8X2 = 513
        enumerator :: XL_U8X2 = 514
        enumerator :: XL_I16X2 = 515
        enumerator :: XL_U16X2 = 516
        enumerator :: XL_I32X2 = 517
        enumerator :: XL_U32X2 = 518
        enumerator :: XL_I64X2 = 519
        enumerator :: XL_U64X2 = 520
        enumerator :: XL_F16X2 = 521
        enumerator :: XL_F32X2 = 522
        enumerator :: XL_F64X2 = 523
        enumerator :: XL_I8X3 = 769
        enumerator :: XL_U8X3 = 770
        enumerator :: XL_I16X3 = 771
        enumerator :: XL_U16X3 = 772
        enumerator :: XL_I32X3 = 773
        enumerator :: XL_U32X3 = 774
        enumerator :: XL_I64X3 = 775
        enumerator :: XL_U64X3 = 776
        enumerator :: XL_F16X3 = 777
        enumerator :: XL_F32X3 = 778
        enumerator :: XL_F64X3 = 779
        enumerator :: XL_I8X4 = 1025
        enumerator :: XL_U8X4 = 1026
        enumerator :: XL_I16X4 = 1027
        enumerator :: XL_U16X4 = 1028
        enumerator :: XL_I32X4 = 1029
        enumerator :: XL_U32X4 = 1030
        enumerator :: XL_I64X4 = 1031
        enumerator :: XL_U64X4 = 1032
        enumerator :: XL_F16X4 = 1033
        enumerator :: XL_F32X4 = 1034
        enumerator :: XL_F64X4 = 1035
        enumerator :: XL_USER_TYPE = 4096
    end enum

    enum, bind(c)
        enumerator :: XL_MORE_VALUES = 3
    end enum

    enum, bind(c) ! xl_op
        enumerator :: XL_SUM = 1
        enumerator :: XL_PROD = 2
        enumerator :: XL_MIN = 3
        enumerator :: XL_MAX = 4
        enumerator :: XL_AND = 5
        enumerator :: XL_OR = 6
        enumerator :: XL_XOR = 7
        enumerator :: XL_ARG_MIN = 8
        enumerator :: XL_ARG_MAX = 9
        enumerator :: XL_USER_OP = 4096
    end enum

    enum, bind(c)
        enumerator :: XL_OP_COMMUTATIVE = 1
        enumerator :: XL_OP_STRICTLY_ASSOCIATIVE = 2
    end enum

    enum, bind(c)
        enumerator :: XL_PARAMS = 8
    end enum

    enum, bind(c) ! xl_segments
        enumerator :: XL_SEGMENTS_NONE = 0
        enumerator :: XL_SEGMENTS_HEAD_FLAGS = 1
        enumerator :: XL_SEGMENTS_FLAG_BITMASK = 2
        enumerator :: XL_SEGMENTS_KEYS = 3
        enumerator :: XL_SEGMENTS_OFFSETS = 4
        enumerator :: XL_SEGMENTS_WIDTH = 5
        enumerator :: XL_SEGMENTS_MASK = 6
    end enum

    enum, bind(c) ! xl_determinism
        enumerator :: XL_DETERMINISTIC = 0
        enumerator :: XL_UNORDERED = 1
        enumerator :: XL_REPRODUCIBLE = 2
    end enum

    enum, bind(c) ! xl_sub_group_source
        enumerator :: XL_SUB_GROUP_NOT_REPORTED = 0
        enumerator :: XL_SUB_GROUP_OF_KERNEL = 1
        enumerator :: XL_SUB_GROUP_NV_WARP = 2
        enumerator :: XL_SUB_GROUP_AMD_WAVEFRONT = 3
        enumerator :: XL_SUB_GROUP_INTEL_SIZES = 4
        enumerator :: XL_SUB_GROUP_MASKED = 5
    end enum

    enum, bind(c) ! xl_bounds
        enumerator :: XL_BOUNDS_FOUND = 0
        enumerator :: XL_BOUNDS_GIVEN = 1
        enumerator :: XL_BOUNDS_PER_SYSTEM = 2
    end enum

    enum, bind(c) ! xl_grid_algorithm
        enumerator :: XL_GRID_AUTO = 0
        enumerator :: XL_GRID_COUNTING = 1
        enumerator :: XL_GRID_BITONIC = 2
    end enum

    enum, bind(c) ! xl_points_layout
        enumerator :: XL_POINTS_AOS = 0
        enumerator :: XL_POINTS_SOA = 1
    end enum

    enum, bind(c) ! xl_histogram_kind
        enumerator :: XL_HISTOGRAM_EVEN = 0
        enumerator :: XL_HISTOGRAM_KEYS = 1
        enumerator :: XL_HISTOGRAM_LEVELS = 2
    end enum

    enum, bind(c) ! xl_sort_order
        enumerator :: XL_ASCENDING = 0
        enumerator :: XL_DESCENDING = 1
    end enum

    enum, bind(c) ! xl_sort_algorithm
        enumerator :: XL_SORT_AUTO = 0
        enumerator :: XL_SORT_BITONIC = 1
        enumerator :: XL_SORT_RADIX = 2
    end enum

    enum, bind(c) ! xl_merge_operation
        enumerator :: XL_MERGE_ALL = 0
        enumerator :: XL_MERGE_UNION = 1
        enumerator :: XL_MERGE_INTERSECTION = 2
        enumerator :: XL_MERGE_DIFFERENCE = 3
    end enum

    enum, bind(c) ! xl_neighbors_queries
        enumerator :: XL_QUERIES_INDEXED = 0
        enumerator :: XL_QUERIES_GIVEN = 1
    end enum

    enum, bind(c) ! xl_neighbors_radii
        enumerator :: XL_RADII_ONE = 0
        enumerator :: XL_RADII_QUERY = 1
        enumerator :: XL_RADII_LARGER = 2
        enumerator :: XL_RADII_TYPES = 3
    end enum

    enum, bind(c) ! xl_scan_kind
        enumerator :: XL_EXCLUSIVE = 0
        enumerator :: XL_INCLUSIVE = 1
    end enum

    enum, bind(c) ! xl_scan_algorithm
        enumerator :: XL_SCAN_AUTO = 0
        enumerator :: XL_SCAN_LOOKBACK = 1
        enumerator :: XL_SCAN_REDUCE_THEN_SCAN = 2
    end enum

    enum, bind(c) ! xl_search_kind
        enumerator :: XL_SEARCH_LOWER = 0
        enumerator :: XL_SEARCH_UPPER = 1
        enumerator :: XL_SEARCH_UNSORTED = 2
    end enum

    enum, bind(c) ! xl_select_kind
        enumerator :: XL_SELECT_IF = 0
        enumerator :: XL_SELECT_PARTITION = 1
        enumerator :: XL_SELECT_PARTITION3 = 2
        enumerator :: XL_SELECT_UNIQUE = 3
        enumerator :: XL_SELECT_RUNS = 4
        enumerator :: XL_SELECT_REPEAT = 5
    end enum

    enum, bind(c) ! xl_select_by
        enumerator :: XL_SELECT_BY_PREDICATE = 0
        enumerator :: XL_SELECT_BY_FLAGS = 1
        enumerator :: XL_SELECT_BY_BITMASK = 2
    end enum

    enum, bind(c) ! xl_list_details
        enumerator :: XL_LIST_DISTANCES = 1
        enumerator :: XL_LIST_VECTORS = 2
        enumerator :: XL_LIST_SHIFTS = 4
    end enum

    enum, bind(c)
        enumerator :: XL_TRANSFORM_ARRAYS = 4
    end enum

    enum, bind(c) ! xl_transform_kind
        enumerator :: XL_TRANSFORM_MAP = 0
        enumerator :: XL_TRANSFORM_GATHER = 1
        enumerator :: XL_TRANSFORM_SCATTER = 2
        enumerator :: XL_TRANSFORM_ADJACENT = 3
    end enum

    type, bind(c) :: xl_view
        type(c_ptr) :: buffer = c_null_ptr
        integer(c_size_t) :: offset = 0
        integer(c_size_t) :: count = 0
    end type

    type, bind(c) :: xl_user_type_t
        type(c_ptr) :: name = c_null_ptr
        integer(c_size_t) :: size = 0
        integer(c_size_t) :: alignment = 0
        type(c_ptr) :: source = c_null_ptr
    end type

    type, bind(c) :: xl_user_op_t
        type(c_ptr) :: name = c_null_ptr
        type(c_ptr) :: source = c_null_ptr
        type(c_ptr) :: identity = c_null_ptr
        integer(c_int32_t) :: flags = 0
    end type

    type, bind(c) :: xl_user_comparator
        type(c_ptr) :: name = c_null_ptr
        type(c_ptr) :: source = c_null_ptr
    end type

    type, bind(c) :: xl_param
        type(c_ptr) :: name = c_null_ptr
        integer(c_int32_t) :: type = 0
    end type

    type, bind(c) :: xl_tunable
        type(c_ptr) :: name = c_null_ptr
        integer(c_int64_t) :: value = 0
    end type

    type, bind(c) :: xl_context_desc
        integer(c_int32_t) :: version = 0
        type(c_ptr) :: device = c_null_ptr
        type(c_ptr) :: cache_dir = c_null_ptr
        type(c_ptr) :: dump_dir = c_null_ptr
        type(c_ptr) :: tune_file = c_null_ptr
        type(c_ptr) :: mask = c_null_ptr
    end type

    type, bind(c) :: xl_device_info
        integer(c_int32_t) :: compute_units = 0
        integer(c_int64_t) :: device_type = 0
        integer(c_int64_t) :: global_bytes = 0
        integer(c_int64_t) :: max_buffer_bytes = 0
        integer(c_int64_t) :: local_bytes = 0
        integer(c_int64_t) :: max_work_group_size = 0
        character(kind=c_char) :: name(256) = c_null_char
        character(kind=c_char) :: vendor(128) = c_null_char
        character(kind=c_char) :: platform(128) = c_null_char
        character(kind=c_char) :: platform_version(128) = c_null_char
        character(kind=c_char) :: driver(128) = c_null_char
        character(kind=c_char) :: opencl_c(16) = c_null_char
        character(kind=c_char) :: cross_lane(16) = c_null_char
        character(kind=c_char) :: probe(160) = c_null_char
        integer(c_int32_t) :: sub_group_size = 0
        integer(c_int32_t) :: sub_group_source = 0
        integer(c_int32_t) :: sub_group_size_reported = 0
        integer(c_int32_t) :: sub_group_size_measured = 0
        integer(c_int32_t) :: work_group_size_multiple = 0
        integer(c_int32_t) :: has_fp64 = 0
        integer(c_int32_t) :: has_int64_atomics = 0
        integer(c_int32_t) :: has_sub_groups = 0
        integer(c_int32_t) :: has_device_scope = 0
        integer(c_int32_t) :: caches_from_source = 0
    end type

    type, bind(c) :: xl_tunable_info
        type(c_ptr) :: name = c_null_ptr
        type(c_ptr) :: meaning = c_null_ptr
        integer(c_int64_t) :: least = 0
        integer(c_int64_t) :: greatest = 0
        integer(c_int64_t) :: value = 0
        integer(c_int32_t) :: zero = 0
        integer(c_int32_t) :: from_file = 0
        integer(c_int32_t) :: step = 0
        integer(c_int32_t) :: turn = 0
    end type

    type, bind(c) :: xl_plan_details
        integer(c_int32_t) :: sub_group_size = 0
        integer(c_int32_t) :: work_group_size = 0
        integer(c_int32_t) :: item_elements = 0
        integer(c_int64_t) :: tile_elements = 0
        character(kind=c_char) :: algorithm(32) = c_null_char
    end type

    type, bind(c) :: xl_space
        integer(c_int32_t) :: dimensions = 0
        integer(c_int32_t) :: scalar = 0
        integer(c_int32_t) :: bounds = 0
        integer(c_int32_t) :: periodic = 0
        real(c_double) :: origin(3) = 0
        real(c_double) :: cell(3, 3) = 0
        integer(c_int32_t) :: wrap = 0
        integer(c_int32_t) :: num_systems = 0
    end type

    type, bind(c) :: xl_grid_desc
        integer(c_int32_t) :: version = 0
        type(xl_space) :: space
        integer(c_int32_t) :: layout = 0
        integer(c_int32_t) :: stride = 0
        real(c_double) :: cell_size = 0
        real(c_double) :: points_per_cell = 0
        integer(c_int32_t) :: algorithm = 0
        integer(c_int32_t) :: num_tunables = 0
        type(c_ptr) :: tunables = c_null_ptr
    end type

    type, bind(c) :: xl_grid_report
        integer(c_int64_t) :: points = 0
        integer(c_int64_t) :: non_finite = 0
        integer(c_int64_t) :: first_non_finite = 0
        integer(c_int64_t) :: out_of_domain = 0
        integer(c_int64_t) :: first_out_of_domain = 0
        integer(c_int32_t) :: sparse = 0
        integer(c_int32_t) :: table_cells = 0
        integer(c_int32_t) :: cells(3) = 0
        real(c_double) :: lower(3) = 0
        real(c_double) :: upper(3) = 0
    end type

    type, bind(c) :: xl_system_cell
        real(c_double) :: origin(3) = 0
        real(c_double) :: cell(3, 3) = 0
        integer(c_int32_t) :: periodic = 0
    end type

    type, bind(c) :: xl_grid_build_args
        integer(c_size_t) :: n = 0
        type(xl_view) :: points
        type(xl_view) :: points_y
        type(xl_view) :: points_z
        type(xl_view) :: systems
        type(c_ptr) :: cells = c_null_ptr
        type(xl_view) :: storage
    end type

    type, bind(c) :: xl_grid_reorder_args
        integer(c_size_t) :: element_bytes = 0
        integer(c_int32_t) :: back = 0
        type(xl_view) :: in
        type(xl_view) :: out
    end type

    type, bind(c) :: xl_grid_moved_args
        real(c_double) :: distance = 0
        type(xl_view) :: points
        type(xl_view) :: points_y
        type(xl_view) :: points_z
        type(xl_view) :: moved
    end type

    type, bind(c) :: xl_histogram_desc
        integer(c_int32_t) :: version = 0
        integer(c_int32_t) :: type = 0
        integer(c_int32_t) :: counter = 0
        integer(c_int32_t) :: weight = 0
        integer(c_int32_t) :: load_type = 0
        type(c_ptr) :: user_load_type = c_null_ptr
        integer(c_int64_t) :: num_bins = 0
        integer(c_int32_t) :: kind = 0
        real(c_double) :: lower = 0
        real(c_double) :: upper = 0
        integer(c_int64_t) :: lower_integer = 0
        integer(c_int64_t) :: upper_integer = 0
        integer(c_int32_t) :: accumulate = 0
        type(c_ptr) :: load = c_null_ptr
        integer(c_size_t) :: num_params = 0
        type(c_ptr) :: params = c_null_ptr
        integer(c_int32_t) :: num_tunables = 0
        type(c_ptr) :: tunables = c_null_ptr
    end type

    type, bind(c) :: xl_histogram_args
        integer(c_size_t) :: n = 0
        type(xl_view) :: n_device
        type(xl_view) :: in
        type(xl_view) :: levels
        type(xl_view) :: weights
        type(c_ptr) :: params(XL_PARAMS) = c_null_ptr
        type(xl_view) :: bins
        type(xl_view) :: scratch
    end type

    type, bind(c) :: xl_sort_desc
        integer(c_int32_t) :: version = 0
        integer(c_int32_t) :: key = 0
        type(c_ptr) :: user_key = c_null_ptr
        integer(c_int32_t) :: value = 0
        integer(c_int32_t) :: more_values(XL_MORE_VALUES) = 0
        integer(c_int32_t) :: segment_type = 0
        integer(c_int32_t) :: order = 0
        type(c_ptr) :: comparator = c_null_ptr
        integer(c_int32_t) :: begin_bit = 0
        integer(c_int32_t) :: end_bit = 0
        integer(c_int32_t) :: stable = 0
        integer(c_int32_t) :: equal_zeros = 0
        integer(c_int32_t) :: segments = 0
        integer(c_int32_t) :: values_only = 0
        integer(c_int32_t) :: large = 0
        integer(c_int32_t) :: algorithm = 0
        integer(c_int32_t) :: num_tunables = 0
        type(c_ptr) :: tunables = c_null_ptr
    end type

    type, bind(c) :: xl_sort_args
        integer(c_size_t) :: n = 0
        type(xl_view) :: n_device
        type(xl_view) :: keys_in
        type(xl_view) :: values_in
        type(xl_view) :: more_values_in(XL_MORE_VALUES)
        type(xl_view) :: segments
        type(xl_view) :: keys_out
        type(xl_view) :: values_out
        type(xl_view) :: more_values_out(XL_MORE_VALUES)
        type(xl_view) :: scratch
    end type

    type, bind(c) :: xl_merge_desc
        integer(c_int32_t) :: version = 0
        integer(c_int32_t) :: key = 0
        integer(c_int32_t) :: value = 0
        integer(c_int32_t) :: more_values(XL_MORE_VALUES) = 0
        integer(c_int32_t) :: operation = 0
        integer(c_int32_t) :: order = 0
        integer(c_int32_t) :: equal_zeros = 0
        integer(c_int32_t) :: num_tunables = 0
        type(c_ptr) :: tunables = c_null_ptr
    end type

    type, bind(c) :: xl_merge_args
        integer(c_size_t) :: n_a = 0
        integer(c_size_t) :: n_b = 0
        integer(c_size_t) :: num_runs = 0
        type(c_ptr) :: runs = c_null_ptr
        type(xl_view) :: n_a_device
        type(xl_view) :: n_b_device
        type(xl_view) :: keys_a
        type(xl_view) :: values_a
        type(xl_view) :: more_values_a(XL_MORE_VALUES)
        type(xl_view) :: keys_b
        type(xl_view) :: values_b
        type(xl_view) :: more_values_b(XL_MORE_VALUES)
        type(xl_view) :: keys_out
        type(xl_view) :: values_out
        type(xl_view) :: more_values_out(XL_MORE_VALUES)
        type(xl_view) :: count_out
        type(xl_view) :: scratch
    end type

    type, bind(c) :: xl_morton_desc
        integer(c_int32_t) :: version = 0
        type(xl_space) :: space
        integer(c_int32_t) :: stride = 0
        integer(c_int32_t) :: code = 0
        integer(c_int32_t) :: num_tunables = 0
        type(c_ptr) :: tunables = c_null_ptr
    end type

    type, bind(c) :: xl_morton_args
        integer(c_size_t) :: n = 0
        type(xl_view) :: points
        type(xl_view) :: codes
        type(xl_view) :: scratch
    end type

    type, bind(c) :: xl_morton_box
        real(c_double) :: lower(3) = 0
        real(c_double) :: upper(3) = 0
        integer(c_int64_t) :: first = 0
        integer(c_int64_t) :: last = 0
    end type

    type, bind(c) :: xl_neighbors_desc
        integer(c_int32_t) :: version = 0
        integer(c_int32_t) :: queries = 0
        real(c_double) :: radius = 0
        integer(c_int32_t) :: radii = 0
        integer(c_int32_t) :: num_types = 0
        type(c_ptr) :: pair_radii = c_null_ptr
        integer(c_int32_t) :: inclusive = 0
        integer(c_int32_t) :: include_self = 0
        integer(c_int32_t) :: half = 0
        integer(c_int32_t) :: sorted = 0
        integer(c_int32_t) :: details = 0
        integer(c_int32_t) :: row_capacity = 0
        integer(c_int32_t) :: keep_nearest = 0
        type(c_ptr) :: visit = c_null_ptr
        integer(c_int32_t) :: num_tunables = 0
        type(c_ptr) :: tunables = c_null_ptr
    end type

    type, bind(c) :: xl_neighbors_args
        integer(c_size_t) :: num_queries = 0
        integer(c_size_t) :: first_row = 0
        integer(c_size_t) :: num_rows = 0
        integer(c_int64_t) :: capacity = 0
        real(c_double) :: start = 0
        real(c_double) :: params(4) = 0
        type(xl_view) :: queries
        type(xl_view) :: queries_y
        type(xl_view) :: queries_z
        type(xl_view) :: query_systems
        type(xl_view) :: radii
        type(xl_view) :: point_radii
        type(xl_view) :: types
        type(xl_view) :: point_types
        type(xl_view) :: counts
        type(xl_view) :: offsets
        type(xl_view) :: indices
        type(xl_view) :: distances2
        type(xl_view) :: vectors
        type(xl_view) :: shifts
        type(xl_view) :: sums
        type(xl_view) :: scratch
    end type

    type, bind(c) :: xl_neighbors_report
        integer(c_int64_t) :: queries = 0
        integer(c_int64_t) :: pairs = 0
        integer(c_int64_t) :: longest_row = 0
        integer(c_int64_t) :: non_finite = 0
        integer(c_int64_t) :: first_non_finite = 0
        integer(c_int64_t) :: too_far = 0
        integer(c_int64_t) :: first_too_far = 0
    end type

    type, bind(c) :: xl_neighbors_kernel_args
        type(c_ptr) :: kernel = c_null_ptr
        integer(c_int32_t) :: first = 0
        real(c_double) :: radius = 0
        integer(c_int32_t) :: inclusive = 0
    end type

    type, bind(c) :: xl_nearest_desc
        integer(c_int32_t) :: version = 0
        integer(c_int32_t) :: queries = 0
        integer(c_int32_t) :: k = 0
        real(c_double) :: max_radius = 0
        integer(c_int32_t) :: include_self = 0
        integer(c_int32_t) :: num_tunables = 0
        type(c_ptr) :: tunables = c_null_ptr
    end type

    type, bind(c) :: xl_nearest_args
        integer(c_size_t) :: num_queries = 0
        integer(c_size_t) :: first_row = 0
        integer(c_size_t) :: num_rows = 0
        type(xl_view) :: queries
        type(xl_view) :: queries_y
        type(xl_view) :: queries_z
        type(xl_view) :: query_systems
        type(xl_view) :: indices
        type(xl_view) :: distances2
        type(xl_view) :: scratch
    end type

    type, bind(c) :: xl_nearest_report
        integer(c_int64_t) :: rows = 0
        integer(c_int64_t) :: short_rows = 0
        integer(c_int64_t) :: given_up = 0
        integer(c_int64_t) :: first_given_up = 0
    end type

    type, bind(c) :: xl_nearest_approximate_desc
        integer(c_int32_t) :: version = 0
        type(xl_space) :: space
        integer(c_int32_t) :: stride = 0
        integer(c_int32_t) :: queries = 0
        integer(c_int32_t) :: query_stride = 0
        integer(c_int32_t) :: code = 0
        integer(c_int32_t) :: k = 0
        integer(c_int32_t) :: include_self = 0
        integer(c_int32_t) :: shifts = 0
        integer(c_int32_t) :: num_tunables = 0
        type(c_ptr) :: tunables = c_null_ptr
    end type

    type, bind(c) :: xl_nearest_approximate_args
        integer(c_size_t) :: n = 0
        integer(c_size_t) :: num_queries = 0
        integer(c_size_t) :: first_row = 0
        integer(c_size_t) :: num_rows = 0
        type(xl_view) :: points
        type(xl_view) :: queries
        type(xl_view) :: indices
        type(xl_view) :: distances2
        type(xl_view) :: scratch
    end type

    type, bind(c) :: xl_reduce_desc
        integer(c_int32_t) :: version = 0
        integer(c_int32_t) :: type = 0
        type(c_ptr) :: user_type = c_null_ptr
        integer(c_int32_t) :: load_type = 0
        integer(c_int32_t) :: store_type = 0
        type(c_ptr) :: user_load_type = c_null_ptr
        type(c_ptr) :: user_store_type = c_null_ptr
        integer(c_int32_t) :: op = 0
        integer(c_int32_t) :: equal_zeros = 0
        type(c_ptr) :: user_op = c_null_ptr
        type(c_ptr) :: init = c_null_ptr
        type(c_ptr) :: load = c_null_ptr
        type(c_ptr) :: store = c_null_ptr
        integer(c_size_t) :: num_params = 0
        type(c_ptr) :: params = c_null_ptr
        integer(c_int32_t) :: segments = 0
        integer(c_int32_t) :: segment_type = 0
        integer(c_int64_t) :: segment_width = 0
        integer(c_int64_t) :: segment_mask = 0
        integer(c_int32_t) :: determinism = 0
        integer(c_int32_t) :: num_tunables = 0
        type(c_ptr) :: tunables = c_null_ptr
    end type

    type, bind(c) :: xl_reduce_args
        integer(c_size_t) :: n = 0
        type(xl_view) :: n_device
        type(xl_view) :: in
        type(xl_view) :: segments
        type(c_ptr) :: params(XL_PARAMS) = c_null_ptr
        type(xl_view) :: out
        type(xl_view) :: keys_out
        type(xl_view) :: num_segments_out
        type(xl_view) :: scratch
    end type

    type, bind(c) :: xl_scan_desc
        integer(c_int32_t) :: version = 0
        integer(c_int32_t) :: type = 0
        type(c_ptr) :: user_type = c_null_ptr
        integer(c_int32_t) :: load_type = 0
        integer(c_int32_t) :: store_type = 0
        type(c_ptr) :: user_load_type = c_null_ptr
        type(c_ptr) :: user_store_type = c_null_ptr
        integer(c_int32_t) :: op = 0
        integer(c_int32_t) :: kind = 0
        type(c_ptr) :: user_op = c_null_ptr
        type(c_ptr) :: init = c_null_ptr
        type(xl_view) :: init_view
        type(c_ptr) :: load = c_null_ptr
        type(c_ptr) :: store = c_null_ptr
        integer(c_size_t) :: num_params = 0
        type(c_ptr) :: params = c_null_ptr
        integer(c_int32_t) :: segments = 0
        integer(c_int32_t) :: segment_type = 0
        integer(c_int64_t) :: segment_width = 0
        integer(c_int64_t) :: segment_mask = 0
        integer(c_int32_t) :: carry = 0
        integer(c_int32_t) :: determinism = 0
        integer(c_int32_t) :: algorithm = 0
        integer(c_int32_t) :: num_tunables = 0
        type(c_ptr) :: tunables = c_null_ptr
    end type

    type, bind(c) :: xl_scan_args
        integer(c_size_t) :: n = 0
        integer(c_int64_t) :: first_index = 0
        type(xl_view) :: n_device
        type(xl_view) :: in
        type(xl_view) :: segments
        type(xl_view) :: carry_in
        type(c_ptr) :: params(XL_PARAMS) = c_null_ptr
        type(xl_view) :: out
        type(xl_view) :: carry_out
        type(xl_view) :: scratch
        type(xl_view) :: head_out
    end type

    type, bind(c) :: xl_search_desc
        integer(c_int32_t) :: version = 0
        integer(c_int32_t) :: key = 0
        integer(c_int32_t) :: index = 0
        integer(c_int32_t) :: kind = 0
        integer(c_int32_t) :: order = 0
        integer(c_int32_t) :: equal_zeros = 0
        integer(c_int32_t) :: num_tunables = 0
        type(c_ptr) :: tunables = c_null_ptr
    end type

    type, bind(c) :: xl_search_args
        integer(c_size_t) :: n = 0
        integer(c_size_t) :: num_queries = 0
        type(xl_view) :: n_device
        type(xl_view) :: num_queries_device
        type(xl_view) :: keys
        type(xl_view) :: queries
        type(xl_view) :: indices_out
        type(xl_view) :: scratch
    end type

    type, bind(c) :: xl_select_desc
        integer(c_int32_t) :: version = 0
        integer(c_int32_t) :: type = 0
        integer(c_int32_t) :: value = 0
        integer(c_int32_t) :: more_values(XL_MORE_VALUES) = 0
        integer(c_int32_t) :: index = 0
        type(c_ptr) :: user_type = c_null_ptr
        integer(c_int32_t) :: kind = 0
        integer(c_int32_t) :: by = 0
        type(c_ptr) :: predicate = c_null_ptr
        type(c_ptr) :: equal = c_null_ptr
        integer(c_int32_t) :: equal_zeros = 0
        integer(c_size_t) :: num_params = 0
        type(c_ptr) :: params = c_null_ptr
        integer(c_int32_t) :: num_tunables = 0
        type(c_ptr) :: tunables = c_null_ptr
    end type

    type, bind(c) :: xl_select_args
        integer(c_size_t) :: n = 0
        integer(c_size_t) :: capacity = 0
        type(xl_view) :: n_device
        type(xl_view) :: in
        type(xl_view) :: flags
        type(xl_view) :: lengths_in
        type(xl_view) :: values_in
        type(xl_view) :: more_values_in(XL_MORE_VALUES)
        type(c_ptr) :: params(XL_PARAMS) = c_null_ptr
        type(xl_view) :: out
        type(xl_view) :: values_out
        type(xl_view) :: more_values_out(XL_MORE_VALUES)
        type(xl_view) :: indices_out
        type(xl_view) :: lengths_out
        type(xl_view) :: count_out
        type(xl_view) :: scratch
    end type

    type, bind(c) :: xl_neighbor_list
        integer(c_size_t) :: n = 0
        type(c_ptr) :: offsets = c_null_ptr
        type(c_ptr) :: indices = c_null_ptr
        type(c_ptr) :: distances = c_null_ptr
        type(c_ptr) :: vectors = c_null_ptr
        type(c_ptr) :: shifts = c_null_ptr
    end type

    type, bind(c) :: xl_split_args
        integer(c_int64_t) :: n = 0
        integer(c_int32_t) :: code_bits = 0
        integer(c_int32_t) :: num_parts = 0
        type(c_ptr) :: targets = c_null_ptr
        type(c_ptr) :: user = c_null_ptr
        type(c_funptr) :: find = c_null_funptr
        type(c_funptr) :: weigh = c_null_funptr
        type(c_funptr) :: find_weight = c_null_funptr
        type(c_funptr) :: sum = c_null_funptr
        type(c_ptr) :: cuts = c_null_ptr
        type(c_ptr) :: scratch = c_null_ptr
    end type

    type, bind(c) :: xl_top_k_desc
        integer(c_int32_t) :: version = 0
        integer(c_int32_t) :: key = 0
        integer(c_int32_t) :: value = 0
        integer(c_int32_t) :: more_values(XL_MORE_VALUES) = 0
        integer(c_int32_t) :: segment_type = 0
        integer(c_int32_t) :: largest = 0
        integer(c_int32_t) :: sorted = 0
        integer(c_int32_t) :: equal_zeros = 0
        integer(c_int32_t) :: segments = 0
        integer(c_int32_t) :: num_tunables = 0
        type(c_ptr) :: tunables = c_null_ptr
    end type

    type, bind(c) :: xl_top_k_args
        integer(c_size_t) :: n = 0
        integer(c_size_t) :: k = 0
        type(xl_view) :: n_device
        type(xl_view) :: keys_in
        type(xl_view) :: values_in
        type(xl_view) :: more_values_in(XL_MORE_VALUES)
        type(xl_view) :: segments
        type(xl_view) :: keys_out
        type(xl_view) :: values_out
        type(xl_view) :: more_values_out(XL_MORE_VALUES)
        type(xl_view) :: indices_out
        type(xl_view) :: count_out
        type(xl_view) :: counts_out
        type(xl_view) :: scratch
    end type

    type, bind(c) :: xl_transform_desc
        integer(c_int32_t) :: version = 0
        integer(c_int32_t) :: num_arrays = 0
        integer(c_int32_t) :: types(XL_TRANSFORM_ARRAYS) = 0
        integer(c_int32_t) :: out_type = 0
        integer(c_int32_t) :: index_type = 0
        type(c_ptr) :: user_types(XL_TRANSFORM_ARRAYS) = c_null_ptr
        type(c_ptr) :: user_out_type = c_null_ptr
        integer(c_int32_t) :: kind = 0
        type(c_ptr) :: expression = c_null_ptr
        integer(c_size_t) :: num_params = 0
        type(c_ptr) :: params = c_null_ptr
        integer(c_int32_t) :: num_tunables = 0
        type(c_ptr) :: tunables = c_null_ptr
    end type

    type, bind(c) :: xl_transform_args
        integer(c_size_t) :: n = 0
        integer(c_size_t) :: range = 0
        type(xl_view) :: n_device
        type(xl_view) :: in(XL_TRANSFORM_ARRAYS)
        type(xl_view) :: indices
        type(c_ptr) :: params(XL_PARAMS) = c_null_ptr
        type(xl_view) :: out(XL_TRANSFORM_ARRAYS)
        type(xl_view) :: scratch
    end type

    abstract interface
        subroutine xl_tunable_visitor(user, info) bind(c)
            import
            type(c_ptr), value :: user
            type(xl_tunable_info), intent(in) :: info
        end subroutine
        subroutine xl_device_visitor(user, platform, device, pid, did) bind(c)
            import
            type(c_ptr), value :: user
            integer(c_int32_t), value :: platform
            integer(c_int32_t), value :: device
            type(c_ptr), value :: pid
            type(c_ptr), value :: did
        end subroutine
        function xl_split_find(user, count, values, found) bind(c)
            import
            type(c_ptr), value :: user
            integer(c_size_t), value :: count
            integer(c_int64_t), intent(in) :: values(*)
            integer(c_int64_t), intent(out) :: found(*)
            integer(c_int) :: xl_split_find
        end function
        function xl_split_sum(user, exclusive, count, values) bind(c)
            import
            type(c_ptr), value :: user
            integer(c_int), value :: exclusive
            integer(c_size_t), value :: count
            integer(c_int64_t), intent(inout) :: values(*)
            integer(c_int) :: xl_split_sum
        end function
    end interface

    interface
        function xl_status_name(status) bind(c)
            import
            integer(c_int), value :: status
            type(c_ptr) :: xl_status_name
        end function
        function xl_version() bind(c)
            import
            integer(c_int) :: xl_version
        end function
        function xl_version_string() bind(c)
            import
            type(c_ptr) :: xl_version_string
        end function
        function xl_type_size(type) bind(c)
            import
            integer(c_int), value :: type
            integer(c_size_t) :: xl_type_size
        end function
        function xl_type_name(type) bind(c)
            import
            integer(c_int), value :: type
            type(c_ptr) :: xl_type_name
        end function
        function xl_op_name(op) bind(c)
            import
            integer(c_int), value :: op
            type(c_ptr) :: xl_op_name
        end function
        subroutine xl_context_desc_init_version(desc, version) bind(c)
            import
            type(xl_context_desc), intent(out) :: desc
            integer(c_int32_t), value :: version
        end subroutine
        function xl_context_create(desc, ctx) bind(c)
            import
            type(xl_context_desc), intent(in), optional :: desc
            type(c_ptr), intent(out) :: ctx
            integer(c_int) :: xl_context_create
        end function
        function xl_context_adopt(cl, device, desc, ctx) bind(c)
            import
            type(c_ptr), value :: cl
            type(c_ptr), value :: device
            type(xl_context_desc), intent(in), optional :: desc
            type(c_ptr), intent(out) :: ctx
            integer(c_int) :: xl_context_adopt
        end function
        subroutine xl_context_destroy(ctx) bind(c)
            import
            type(c_ptr), value :: ctx
        end subroutine
        function xl_context_cl(ctx) bind(c)
            import
            type(c_ptr), value :: ctx
            type(c_ptr) :: xl_context_cl
        end function
        function xl_context_device(ctx) bind(c)
            import
            type(c_ptr), value :: ctx
            type(c_ptr) :: xl_context_device
        end function
        function xl_context_queue(ctx) bind(c)
            import
            type(c_ptr), value :: ctx
            type(c_ptr) :: xl_context_queue
        end function
        function xl_context_cache(ctx) bind(c)
            import
            type(c_ptr), value :: ctx
            type(c_ptr) :: xl_context_cache
        end function
        function xl_context_device_info(ctx, info) bind(c)
            import
            type(c_ptr), value :: ctx
            type(xl_device_info), intent(out) :: info
            integer(c_int) :: xl_context_device_info
        end function
        function xl_context_error(ctx) bind(c)
            import
            type(c_ptr), value :: ctx
            type(c_ptr) :: xl_context_error
        end function
        function xl_devices_each(visit, user) bind(c)
            import
            type(c_funptr), value :: visit
            type(c_ptr), value :: user
            integer(c_int32_t) :: xl_devices_each
        end function
        function xl_tunables_each(ctx, visit, user) bind(c)
            import
            type(c_ptr), value :: ctx
            type(c_funptr), value :: visit
            type(c_ptr), value :: user
            integer(c_int32_t) :: xl_tunables_each
        end function
        function xl_plan_prepare(plan, args) bind(c)
            import
            type(c_ptr), value :: plan
            type(*), intent(in) :: args
            integer(c_int) :: xl_plan_prepare
        end function
        function xl_plan_info(plan, n, details) bind(c)
            import
            type(c_ptr), value :: plan
            integer(c_size_t), value :: n
            type(xl_plan_details), intent(out) :: details
            integer(c_int) :: xl_plan_info
        end function
        function xl_plan_context(plan) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr) :: xl_plan_context
        end function
        subroutine xl_plan_destroy(plan) bind(c)
            import
            type(c_ptr), value :: plan
        end subroutine
        subroutine xl_grid_desc_init_version(desc, version) bind(c)
            import
            type(xl_grid_desc), intent(out) :: desc
            integer(c_int32_t), value :: version
        end subroutine
        function xl_grid_create(ctx, desc, grid) bind(c)
            import
            type(c_ptr), value :: ctx
            type(xl_grid_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: grid
            integer(c_int) :: xl_grid_create
        end function
        function xl_grid_scratch(grid, args, bytes) bind(c)
            import
            type(c_ptr), value :: grid
            type(xl_grid_build_args), intent(in) :: args
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: xl_grid_scratch
        end function
        function xl_grid_index_create(ctx, index) bind(c)
            import
            type(c_ptr), value :: ctx
            type(c_ptr), intent(out) :: index
            integer(c_int) :: xl_grid_index_create
        end function
        subroutine xl_grid_index_destroy(index) bind(c)
            import
            type(c_ptr), value :: index
        end subroutine
        function xl_grid_build_enqueue(grid, index, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: grid
            type(c_ptr), value :: index
            type(c_ptr), value :: queue
            type(xl_grid_build_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_grid_build_enqueue
        end function
        function xl_grid_index_status(index, queue, report, num_waits, waits) bind(c)
            import
            type(c_ptr), value :: index
            type(c_ptr), value :: queue
            type(xl_grid_report), intent(out), optional :: report
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            integer(c_int) :: xl_grid_index_status
        end function
        function xl_grid_index_event(index, event) bind(c)
            import
            type(c_ptr), value :: index
            type(c_ptr), intent(out) :: event
            integer(c_int) :: xl_grid_index_event
        end function
        function xl_grid_reorder_enqueue(grid, index, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: grid
            type(c_ptr), value :: index
            type(c_ptr), value :: queue
            type(xl_grid_reorder_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_grid_reorder_enqueue
        end function
        function xl_grid_moved_enqueue(grid, index, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: grid
            type(c_ptr), value :: index
            type(c_ptr), value :: queue
            type(xl_grid_moved_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_grid_moved_enqueue
        end function
        subroutine xl_histogram_desc_init_version(desc, version) bind(c)
            import
            type(xl_histogram_desc), intent(out) :: desc
            integer(c_int32_t), value :: version
        end subroutine
        function xl_histogram_create(ctx, desc, plan) bind(c)
            import
            type(c_ptr), value :: ctx
            type(xl_histogram_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: plan
            integer(c_int) :: xl_histogram_create
        end function
        function xl_histogram_scratch(plan, args, bytes) bind(c)
            import
            type(c_ptr), value :: plan
            type(xl_histogram_args), intent(in) :: args
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: xl_histogram_scratch
        end function
        function xl_histogram_enqueue(plan, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: queue
            type(xl_histogram_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_histogram_enqueue
        end function
        subroutine xl_sort_desc_init_version(desc, version) bind(c)
            import
            type(xl_sort_desc), intent(out) :: desc
            integer(c_int32_t), value :: version
        end subroutine
        function xl_sort_create(ctx, desc, plan) bind(c)
            import
            type(c_ptr), value :: ctx
            type(xl_sort_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: plan
            integer(c_int) :: xl_sort_create
        end function
        function xl_sort_scratch(plan, args, bytes) bind(c)
            import
            type(c_ptr), value :: plan
            type(xl_sort_args), intent(in) :: args
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: xl_sort_scratch
        end function
        function xl_sort_enqueue(plan, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: queue
            type(xl_sort_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_sort_enqueue
        end function
        function xl_key_to_code(type, key, code) bind(c)
            import
            integer(c_int32_t), value :: type
            type(*), intent(in) :: key
            integer(c_int64_t), intent(out) :: code(*)
            integer(c_int) :: xl_key_to_code
        end function
        function xl_code_to_key(type, code, key) bind(c)
            import
            integer(c_int32_t), value :: type
            integer(c_int64_t), value :: code
            type(*), intent(inout) :: key
            integer(c_int) :: xl_code_to_key
        end function
        subroutine xl_merge_desc_init_version(desc, version) bind(c)
            import
            type(xl_merge_desc), intent(out) :: desc
            integer(c_int32_t), value :: version
        end subroutine
        function xl_merge_create(ctx, desc, plan) bind(c)
            import
            type(c_ptr), value :: ctx
            type(xl_merge_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: plan
            integer(c_int) :: xl_merge_create
        end function
        function xl_merge_scratch(plan, args, bytes) bind(c)
            import
            type(c_ptr), value :: plan
            type(xl_merge_args), intent(in) :: args
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: xl_merge_scratch
        end function
        function xl_merge_enqueue(plan, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: queue
            type(xl_merge_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_merge_enqueue
        end function
        subroutine xl_morton_desc_init_version(desc, version) bind(c)
            import
            type(xl_morton_desc), intent(out) :: desc
            integer(c_int32_t), value :: version
        end subroutine
        function xl_morton_create(ctx, desc, plan) bind(c)
            import
            type(c_ptr), value :: ctx
            type(xl_morton_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: plan
            integer(c_int) :: xl_morton_create
        end function
        function xl_morton_scratch(plan, args, bytes) bind(c)
            import
            type(c_ptr), value :: plan
            type(xl_morton_args), intent(in) :: args
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: xl_morton_scratch
        end function
        function xl_morton_enqueue(plan, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: queue
            type(xl_morton_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_morton_enqueue
        end function
        function xl_morton_boxes(desc, first, last, capacity, boxes, count) bind(c)
            import
            type(xl_morton_desc), intent(in) :: desc
            integer(c_int64_t), value :: first
            integer(c_int64_t), value :: last
            integer(c_size_t), value :: capacity
            type(xl_morton_box), intent(out) :: boxes
            integer(c_size_t), intent(out) :: count
            integer(c_int) :: xl_morton_boxes
        end function
        subroutine xl_neighbors_desc_init_version(desc, version) bind(c)
            import
            type(xl_neighbors_desc), intent(out) :: desc
            integer(c_int32_t), value :: version
        end subroutine
        function xl_neighbors_create(grid, desc, plan) bind(c)
            import
            type(c_ptr), value :: grid
            type(xl_neighbors_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: plan
            integer(c_int) :: xl_neighbors_create
        end function
        function xl_neighbors_scratch(plan, args, bytes) bind(c)
            import
            type(c_ptr), value :: plan
            type(xl_neighbors_args), intent(in) :: args
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: xl_neighbors_scratch
        end function
        function xl_neighbors_enqueue(plan, index, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: index
            type(c_ptr), value :: queue
            type(xl_neighbors_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_neighbors_enqueue
        end function
        function xl_neighbors_count_enqueue(plan, index, queue, args, num_waits, waits, &
            event) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: index
            type(c_ptr), value :: queue
            type(xl_neighbors_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_neighbors_count_enqueue
        end function
        function xl_neighbors_fill_enqueue(plan, index, queue, args, num_waits, waits, &
            event) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: index
            type(c_ptr), value :: queue
            type(xl_neighbors_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_neighbors_fill_enqueue
        end function
        function xl_neighbors_status(plan, index, queue, args, report, num_waits, waits) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: index
            type(c_ptr), value :: queue
            type(xl_neighbors_args), intent(in) :: args
            type(xl_neighbors_report), intent(out), optional :: report
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            integer(c_int) :: xl_neighbors_status
        end function
        function xl_grid_index_set_kernel_args(index, args, next) bind(c)
            import
            type(c_ptr), value :: index
            type(xl_neighbors_kernel_args), intent(in) :: args
            integer(c_int32_t), intent(out), optional :: next
            integer(c_int) :: xl_grid_index_set_kernel_args
        end function
        subroutine xl_nearest_desc_init_version(desc, version) bind(c)
            import
            type(xl_nearest_desc), intent(out) :: desc
            integer(c_int32_t), value :: version
        end subroutine
        function xl_nearest_create(grid, desc, plan) bind(c)
            import
            type(c_ptr), value :: grid
            type(xl_nearest_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: plan
            integer(c_int) :: xl_nearest_create
        end function
        function xl_nearest_scratch(plan, args, bytes) bind(c)
            import
            type(c_ptr), value :: plan
            type(xl_nearest_args), intent(in) :: args
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: xl_nearest_scratch
        end function
        function xl_nearest_enqueue(plan, index, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: index
            type(c_ptr), value :: queue
            type(xl_nearest_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_nearest_enqueue
        end function
        function xl_nearest_status(plan, index, queue, args, report, num_waits, waits) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: index
            type(c_ptr), value :: queue
            type(xl_nearest_args), intent(in) :: args
            type(xl_nearest_report), intent(out), optional :: report
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            integer(c_int) :: xl_nearest_status
        end function
        subroutine xl_nearest_approximate_desc_init_version(desc, version) bind(c)
            import
            type(xl_nearest_approximate_desc), intent(out) :: desc
            integer(c_int32_t), value :: version
        end subroutine
        function xl_nearest_approximate_create(ctx, desc, plan) bind(c)
            import
            type(c_ptr), value :: ctx
            type(xl_nearest_approximate_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: plan
            integer(c_int) :: xl_nearest_approximate_create
        end function
        function xl_nearest_approximate_scratch(plan, args, bytes) bind(c)
            import
            type(c_ptr), value :: plan
            type(xl_nearest_approximate_args), intent(in) :: args
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: xl_nearest_approximate_scratch
        end function
        function xl_nearest_approximate_enqueue(plan, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: queue
            type(xl_nearest_approximate_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_nearest_approximate_enqueue
        end function
        function xl_program_create(ctx, source, options, program) bind(c)
            import
            type(c_ptr), value :: ctx
            character(kind=c_char), intent(in) :: source(*)
            character(kind=c_char), intent(in), optional :: options(*)
            type(c_ptr), intent(out) :: program
            integer(c_int) :: xl_program_create
        end function
        subroutine xl_reduce_desc_init_version(desc, version) bind(c)
            import
            type(xl_reduce_desc), intent(out) :: desc
            integer(c_int32_t), value :: version
        end subroutine
        function xl_reduce_create(ctx, desc, plan) bind(c)
            import
            type(c_ptr), value :: ctx
            type(xl_reduce_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: plan
            integer(c_int) :: xl_reduce_create
        end function
        function xl_reduce_scratch(plan, args, bytes) bind(c)
            import
            type(c_ptr), value :: plan
            type(xl_reduce_args), intent(in) :: args
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: xl_reduce_scratch
        end function
        function xl_reduce_enqueue(plan, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: queue
            type(xl_reduce_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_reduce_enqueue
        end function
        subroutine xl_scan_desc_init_version(desc, version) bind(c)
            import
            type(xl_scan_desc), intent(out) :: desc
            integer(c_int32_t), value :: version
        end subroutine
        function xl_scan_create(ctx, desc, plan) bind(c)
            import
            type(c_ptr), value :: ctx
            type(xl_scan_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: plan
            integer(c_int) :: xl_scan_create
        end function
        function xl_scan_scratch(plan, args, bytes) bind(c)
            import
            type(c_ptr), value :: plan
            type(xl_scan_args), intent(in) :: args
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: xl_scan_scratch
        end function
        function xl_scan_enqueue(plan, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: queue
            type(xl_scan_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_scan_enqueue
        end function
        subroutine xl_search_desc_init_version(desc, version) bind(c)
            import
            type(xl_search_desc), intent(out) :: desc
            integer(c_int32_t), value :: version
        end subroutine
        function xl_search_create(ctx, desc, plan) bind(c)
            import
            type(c_ptr), value :: ctx
            type(xl_search_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: plan
            integer(c_int) :: xl_search_create
        end function
        function xl_search_scratch(plan, args, bytes) bind(c)
            import
            type(c_ptr), value :: plan
            type(xl_search_args), intent(in) :: args
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: xl_search_scratch
        end function
        function xl_search_enqueue(plan, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: queue
            type(xl_search_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_search_enqueue
        end function
        subroutine xl_select_desc_init_version(desc, version) bind(c)
            import
            type(xl_select_desc), intent(out) :: desc
            integer(c_int32_t), value :: version
        end subroutine
        function xl_select_create(ctx, desc, plan) bind(c)
            import
            type(c_ptr), value :: ctx
            type(xl_select_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: plan
            integer(c_int) :: xl_select_create
        end function
        function xl_select_scratch(plan, args, bytes) bind(c)
            import
            type(c_ptr), value :: plan
            type(xl_select_args), intent(in) :: args
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: xl_select_scratch
        end function
        function xl_select_enqueue(plan, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: queue
            type(xl_select_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_select_enqueue
        end function
        function xl_simple_exclusive_sum(ctx, type, sum_type, n, in, out) bind(c)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            integer(c_int), value :: sum_type
            integer(c_size_t), value :: n
            type(*), intent(in) :: in(*)
            type(*), intent(inout) :: out(*)
            integer(c_int) :: xl_simple_exclusive_sum
        end function
        function xl_simple_inclusive_sum(ctx, type, sum_type, n, in, out) bind(c)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            integer(c_int), value :: sum_type
            integer(c_size_t), value :: n
            type(*), intent(in) :: in(*)
            type(*), intent(inout) :: out(*)
            integer(c_int) :: xl_simple_inclusive_sum
        end function
        function xl_simple_reduce(ctx, type, op, result_type, n, in, result) bind(c)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            integer(c_int), value :: op
            integer(c_int), value :: result_type
            integer(c_size_t), value :: n
            type(*), intent(in) :: in(*)
            type(*), intent(inout) :: result
            integer(c_int) :: xl_simple_reduce
        end function
        function xl_simple_sort(ctx, key, order, n, keys, value_bytes, values) bind(c)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: key
            integer(c_int), value :: order
            integer(c_size_t), value :: n
            type(*), intent(inout) :: keys(*)
            integer(c_size_t), value :: value_bytes
            type(*), intent(inout), optional :: values(*)
            integer(c_int) :: xl_simple_sort
        end function
        function xl_simple_argsort(ctx, key, order, n, keys, indices) bind(c)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: key
            integer(c_int), value :: order
            integer(c_size_t), value :: n
            type(*), intent(in) :: keys(*)
            integer(c_int32_t), intent(out) :: indices(*)
            integer(c_int) :: xl_simple_argsort
        end function
        function xl_simple_top_k(ctx, key, order, n, keys, k, keys_out, indices) bind(c)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: key
            integer(c_int), value :: order
            integer(c_size_t), value :: n
            type(*), intent(in) :: keys(*)
            integer(c_size_t), value :: k
            type(*), intent(inout), optional :: keys_out(*)
            integer(c_int32_t), intent(out), optional :: indices(*)
            integer(c_int) :: xl_simple_top_k
        end function
        function xl_simple_unique(ctx, type, n, in, out, count) bind(c)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            integer(c_size_t), value :: n
            type(*), intent(in) :: in(*)
            type(*), intent(inout) :: out(*)
            integer(c_size_t), intent(out) :: count
            integer(c_int) :: xl_simple_unique
        end function
        function xl_simple_histogram(ctx, type, n, in, lower, upper, num_bins, bins) bind(c)
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: type
            integer(c_size_t), value :: n
            type(*), intent(in) :: in(*)
            real(c_double), value :: lower
            real(c_double), value :: upper
            integer(c_size_t), value :: num_bins
            integer(c_int64_t), intent(out) :: bins(*)
            integer(c_int) :: xl_simple_histogram
        end function
        function xl_simple_neighbors(ctx, space, n, points, radius, details, list) bind(c)
            import
            type(c_ptr), value :: ctx
            type(xl_space), intent(in), optional :: space
            integer(c_size_t), value :: n
            type(*), intent(in) :: points(*)
            real(c_double), value :: radius
            integer(c_int32_t), value :: details
            type(xl_neighbor_list), intent(out) :: list
            integer(c_int) :: xl_simple_neighbors
        end function
        function xl_simple_nearest(ctx, space, n, points, k, details, list) bind(c)
            import
            type(c_ptr), value :: ctx
            type(xl_space), intent(in), optional :: space
            integer(c_size_t), value :: n
            type(*), intent(in) :: points(*)
            integer(c_int32_t), value :: k
            integer(c_int32_t), value :: details
            type(xl_neighbor_list), intent(out) :: list
            integer(c_int) :: xl_simple_nearest
        end function
        subroutine xl_simple_free(list) bind(c)
            import
            type(xl_neighbor_list), intent(inout) :: list
        end subroutine
        function xl_split_scratch(num_parts) bind(c)
            import
            integer(c_int32_t), value :: num_parts
            integer(c_size_t) :: xl_split_scratch
        end function
        function xl_split(args) bind(c)
            import
            type(xl_split_args), intent(in) :: args
            integer(c_int) :: xl_split
        end function
        subroutine xl_top_k_desc_init_version(desc, version) bind(c)
            import
            type(xl_top_k_desc), intent(out) :: desc
            integer(c_int32_t), value :: version
        end subroutine
        function xl_top_k_create(ctx, desc, plan) bind(c)
            import
            type(c_ptr), value :: ctx
            type(xl_top_k_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: plan
            integer(c_int) :: xl_top_k_create
        end function
        function xl_top_k_scratch(plan, args, bytes) bind(c)
            import
            type(c_ptr), value :: plan
            type(xl_top_k_args), intent(in) :: args
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: xl_top_k_scratch
        end function
        function xl_top_k_enqueue(plan, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: queue
            type(xl_top_k_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_top_k_enqueue
        end function
        subroutine xl_transform_desc_init_version(desc, version) bind(c)
            import
            type(xl_transform_desc), intent(out) :: desc
            integer(c_int32_t), value :: version
        end subroutine
        function xl_transform_create(ctx, desc, plan) bind(c)
            import
            type(c_ptr), value :: ctx
            type(xl_transform_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: plan
            integer(c_int) :: xl_transform_create
        end function
        function xl_transform_scratch(plan, args, bytes) bind(c)
            import
            type(c_ptr), value :: plan
            type(xl_transform_args), intent(in) :: args
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: xl_transform_scratch
        end function
        function xl_transform_enqueue(plan, queue, args, num_waits, waits, event) bind(c)
            import
            type(c_ptr), value :: plan
            type(c_ptr), value :: queue
            type(xl_transform_args), intent(in) :: args
            integer(c_int32_t), value :: num_waits
            type(c_ptr), intent(in), optional :: waits(*)
            type(c_ptr), intent(out), optional :: event
            integer(c_int) :: xl_transform_enqueue
        end function
    end interface

    ! A view from element `offset` (0) on, of `count` elements (0: as many as the call needs).
    interface xl_view_of
        module procedure xl_view_of_size, xl_view_of_int
    end interface
    interface xl_view_n
        module procedure xl_view_n_size, xl_view_n_int
    end interface
    ! A string of C as one of Fortran: of a pointer, or of a component such as info%name.
    interface xl_string
        module procedure xl_string_of_pointer, xl_string_of_array
    end interface
    ! The xl_type of the elements of an array or of a variable. Integers are signed.
    interface xl_type_of
        module procedure xl_type_of_i8, xl_type_of_i16, xl_type_of_i32, xl_type_of_i64, &
            xl_type_of_f32, xl_type_of_f64
    end interface
    private :: xl_view_of_size, xl_view_of_int, xl_view_n_size, xl_view_n_int, &
        xl_string_of_pointer, xl_string_of_array, &
        xl_type_of_i8, xl_type_of_i16, xl_type_of_i32, xl_type_of_i64, xl_type_of_f32, &
            xl_type_of_f64

contains

    pure type(xl_view) function xl_view_of_size(buffer, offset) result(view)
        type(c_ptr), intent(in) :: buffer
        integer(c_size_t), intent(in), optional :: offset
        view%buffer = buffer
        if (present(offset)) view%offset = offset
    end function

    pure type(xl_view) function xl_view_of_int(buffer, offset) result(view)
        type(c_ptr), intent(in) :: buffer
        integer(c_int), intent(in) :: offset
        view = xl_view(buffer, int(offset, c_size_t), 0)
    end function

    pure type(xl_view) function xl_view_n_size(buffer, offset, count) result(view)
        type(c_ptr), intent(in) :: buffer
        integer(c_size_t), intent(in) :: offset, count
        view = xl_view(buffer, offset, count)
    end function

    pure type(xl_view) function xl_view_n_int(buffer, offset, count) result(view)
        type(c_ptr), intent(in) :: buffer
        integer(c_int), intent(in) :: offset, count
        view = xl_view(buffer, int(offset, c_size_t), int(count, c_size_t))
    end function

    ! The view that is "not given".
    pure type(xl_view) function xl_no_view() result(view)
        view = xl_view(c_null_ptr, 0, 0)
    end function

    ! The type of values of this number of bytes.
    pure elemental integer(c_int32_t) function xl_bytes(bytes)
        integer, intent(in) :: bytes
        xl_bytes = 131072 + int(bytes, c_int32_t)
    end function

    function xl_string_of_pointer(text) result(string)
        type(c_ptr), intent(in) :: text
        character(len=:), allocatable :: string
        character(kind=c_char), pointer :: letters(:)
        string = ''
        if (.not. c_associated(text)) return
        call c_f_pointer(text, letters, [huge(0)]) ! the string ends before that
        string = xl_string_of_array(letters)
    end function

    pure function xl_string_of_array(letters) result(string)
        character(kind=c_char), intent(in) :: letters(:)
        character(len=:), allocatable :: string
        integer :: i, length
        length = 0
        do while (length < size(letters))
            if (letters(length + 1) == c_null_char) exit
            length = length + 1
        end do
        allocate (character(len=length) :: string)
        do i = 1, length
            string(i:i) = letters(i)
        end do
    end function

    ! The text of the last failure of this thread; c_null_ptr: of a call without a context.
    function xl_error_text(ctx) result(string)
        type(c_ptr), intent(in) :: ctx
        character(len=:), allocatable :: string
        string = xl_string(xl_context_error(ctx))
    end function

    subroutine xl_context_desc_init(desc)
        type(xl_context_desc), intent(out) :: desc
        call xl_context_desc_init_version(desc, XL_VERSION_NUMBER)
    end subroutine

    subroutine xl_grid_desc_init(desc)
        type(xl_grid_desc), intent(out) :: desc
        call xl_grid_desc_init_version(desc, XL_VERSION_NUMBER)
    end subroutine

    subroutine xl_histogram_desc_init(desc)
        type(xl_histogram_desc), intent(out) :: desc
        call xl_histogram_desc_init_version(desc, XL_VERSION_NUMBER)
    end subroutine

    subroutine xl_sort_desc_init(desc)
        type(xl_sort_desc), intent(out) :: desc
        call xl_sort_desc_init_version(desc, XL_VERSION_NUMBER)
    end subroutine

    subroutine xl_merge_desc_init(desc)
        type(xl_merge_desc), intent(out) :: desc
        call xl_merge_desc_init_version(desc, XL_VERSION_NUMBER)
    end subroutine

    subroutine xl_morton_desc_init(desc)
        type(xl_morton_desc), intent(out) :: desc
        call xl_morton_desc_init_version(desc, XL_VERSION_NUMBER)
    end subroutine

    subroutine xl_neighbors_desc_init(desc)
        type(xl_neighbors_desc), intent(out) :: desc
        call xl_neighbors_desc_init_version(desc, XL_VERSION_NUMBER)
    end subroutine

    subroutine xl_nearest_desc_init(desc)
        type(xl_nearest_desc), intent(out) :: desc
        call xl_nearest_desc_init_version(desc, XL_VERSION_NUMBER)
    end subroutine

    subroutine xl_nearest_approximate_desc_init(desc)
        type(xl_nearest_approximate_desc), intent(out) :: desc
        call xl_nearest_approximate_desc_init_version(desc, XL_VERSION_NUMBER)
    end subroutine

    subroutine xl_reduce_desc_init(desc)
        type(xl_reduce_desc), intent(out) :: desc
        call xl_reduce_desc_init_version(desc, XL_VERSION_NUMBER)
    end subroutine

    subroutine xl_scan_desc_init(desc)
        type(xl_scan_desc), intent(out) :: desc
        call xl_scan_desc_init_version(desc, XL_VERSION_NUMBER)
    end subroutine

    subroutine xl_search_desc_init(desc)
        type(xl_search_desc), intent(out) :: desc
        call xl_search_desc_init_version(desc, XL_VERSION_NUMBER)
    end subroutine

    subroutine xl_select_desc_init(desc)
        type(xl_select_desc), intent(out) :: desc
        call xl_select_desc_init_version(desc, XL_VERSION_NUMBER)
    end subroutine

    subroutine xl_top_k_desc_init(desc)
        type(xl_top_k_desc), intent(out) :: desc
        call xl_top_k_desc_init_version(desc, XL_VERSION_NUMBER)
    end subroutine

    subroutine xl_transform_desc_init(desc)
        type(xl_transform_desc), intent(out) :: desc
        call xl_transform_desc_init_version(desc, XL_VERSION_NUMBER)
    end subroutine

    pure integer(c_int) function xl_type_of_i8(x) result(kind)
        integer(int8), intent(in) :: x(..)
        kind = XL_I8 + 0 * rank(x)
    end function

    pure integer(c_int) function xl_type_of_i16(x) result(kind)
        integer(int16), intent(in) :: x(..)
        kind = XL_I16 + 0 * rank(x)
    end function

    pure integer(c_int) function xl_type_of_i32(x) result(kind)
        integer(int32), intent(in) :: x(..)
        kind = XL_I32 + 0 * rank(x)
    end function

    pure integer(c_int) function xl_type_of_i64(x) result(kind)
        integer(int64), intent(in) :: x(..)
        kind = XL_I64 + 0 * rank(x)
    end function

    pure integer(c_int) function xl_type_of_f32(x) result(kind)
        real(real32), intent(in) :: x(..)
        kind = XL_F32 + 0 * rank(x)
    end function

    pure integer(c_int) function xl_type_of_f64(x) result(kind)
        real(real64), intent(in) :: x(..)
        kind = XL_F64 + 0 * rank(x)
    end function

end module
