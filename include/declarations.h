/* SPDX-License-Identifier: MIT
 * Written by ci/declarations.py from the headers in crosslane/, for bindings to other languages.
 * A parser of C needs size_t and the types of stdint.h beside it. */
/* clang-format off */
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_context *cl_context;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_event *cl_event;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_program *cl_program;
typedef uint32_t cl_uint;
enum {
    XL_BYTES = 131072,
    XL_SCRATCH_ALIGNMENT = 256,
    XL_SORT_INDICES = 65536,
    XL_VERSION_MAJOR = 0,
    XL_VERSION_MINOR = 1,
    XL_VERSION_NUMBER = 100,
    XL_VERSION_PATCH = 0
};
typedef enum xl_status {
    XL_SUCCESS = 0,
    XL_ERROR_INVALID_ARGUMENT = 1,
    XL_ERROR_OUT_OF_MEMORY = 2,
    XL_ERROR_NO_DEVICE = 3,
    XL_ERROR_UNSUPPORTED = 4,
    XL_ERROR_BUILD = 5,
    XL_ERROR_OPENCL = 6,
    XL_ERROR_SCRATCH_TOO_SMALL = 7,
    XL_ERROR_MISALIGNED = 8,
    XL_ERROR_OVERLAP = 9,
    XL_ERROR_NON_FINITE = 10,
    XL_ERROR_OUT_OF_DOMAIN = 11,
    XL_ERROR_CAPACITY = 12,
    XL_ERROR_INTERNAL = 13,
    XL_ERROR_MPI = 14
} xl_status;
const char *xl_status_name(xl_status status);
int xl_version(void);
const char *xl_version_string(void);
typedef struct xl_view {
    cl_mem buffer;
    size_t offset;
    size_t count;
} xl_view;
typedef enum xl_type {
    XL_NONE = 0,
    XL_I8 = 1,
    XL_U8 = 2,
    XL_I16 = 3,
    XL_U16 = 4,
    XL_I32 = 5,
    XL_U32 = 6,
    XL_I64 = 7,
    XL_U64 = 8,
    XL_F16 = 9,
    XL_F32 = 10,
    XL_F64 = 11,
    XL_I8X2 = 0x201,
    XL_U8X2,
    XL_I16X2,
    XL_U16X2,
    XL_I32X2,
    XL_U32X2,
    XL_I64X2,
    XL_U64X2,
    XL_F16X2,
    XL_F32X2,
    XL_F64X2,
    XL_I8X3 = 0x301,
    XL_U8X3,
    XL_I16X3,
    XL_U16X3,
    XL_I32X3,
    XL_U32X3,
    XL_I64X3,
    XL_U64X3,
    XL_F16X3,
    XL_F32X3,
    XL_F64X3,
    XL_I8X4 = 0x401,
    XL_U8X4,
    XL_I16X4,
    XL_U16X4,
    XL_I32X4,
    XL_U32X4,
    XL_I64X4,
    XL_U64X4,
    XL_F16X4,
    XL_F32X4,
    XL_F64X4,
    XL_USER_TYPE = 0x1000
} xl_type;
enum {
    XL_MORE_VALUES = 3
};
typedef struct xl_user_type {
    const char *name;
    size_t size;
    size_t alignment;
    const char *source;
} xl_user_type;
typedef enum xl_op {
    XL_SUM = 1,
    XL_PROD = 2,
    XL_MIN = 3,
    XL_MAX = 4,
    XL_AND = 5,
    XL_OR = 6,
    XL_XOR = 7,
    XL_ARG_MIN = 8,
    XL_ARG_MAX = 9,
    XL_USER_OP = 0x1000
} xl_op;
enum {
    XL_OP_COMMUTATIVE = 1,
    XL_OP_STRICTLY_ASSOCIATIVE = 2
};
typedef struct xl_user_op {
    const char *name;
    const char *source;
    const void *identity;
    uint32_t flags;
} xl_user_op;
typedef struct xl_user_comparator {
    const char *name;
    const char *source;
} xl_user_comparator;
enum {
    XL_PARAMS = 8
};
typedef struct xl_param {
    const char *name;
    uint32_t type;
} xl_param;
typedef enum xl_segments {
    XL_SEGMENTS_NONE = 0,
    XL_SEGMENTS_HEAD_FLAGS = 1,
    XL_SEGMENTS_FLAG_BITMASK = 2,
    XL_SEGMENTS_KEYS = 3,
    XL_SEGMENTS_OFFSETS = 4,
    XL_SEGMENTS_WIDTH = 5,
    XL_SEGMENTS_MASK = 6
} xl_segments;
typedef enum xl_determinism {
    XL_DETERMINISTIC = 0,
    XL_UNORDERED = 1,
    XL_REPRODUCIBLE = 2
} xl_determinism;
typedef struct xl_tunable {
    const char *name;
    uint64_t value;
} xl_tunable;
size_t xl_type_size(xl_type type);
const char *xl_type_name(xl_type type);
const char *xl_op_name(xl_op op);
typedef struct xl_context xl_context;
typedef struct xl_context_desc {
    uint32_t version;
    const char *device;
    const char *cache_dir;
    const char *dump_dir;
    const char *tune_file;
    const char *mask;
} xl_context_desc;
typedef enum xl_sub_group_source {
    XL_SUB_GROUP_NOT_REPORTED = 0,
    XL_SUB_GROUP_OF_KERNEL = 1,
    XL_SUB_GROUP_NV_WARP = 2,
    XL_SUB_GROUP_AMD_WAVEFRONT = 3,
    XL_SUB_GROUP_INTEL_SIZES = 4,
    XL_SUB_GROUP_MASKED = 5
} xl_sub_group_source;
typedef struct xl_device_info {
    uint32_t compute_units;
    uint64_t device_type;
    uint64_t global_bytes;
    uint64_t max_buffer_bytes;
    uint64_t local_bytes;
    uint64_t max_work_group_size;
    char name[256];
    char vendor[128];
    char platform[128];
    char platform_version[128];
    char driver[128];
    char opencl_c[16];
    char cross_lane[16];
    char probe[160];
    uint32_t sub_group_size;
    uint32_t sub_group_source;
    uint32_t sub_group_size_reported;
    uint32_t sub_group_size_measured;
    uint32_t work_group_size_multiple;
    uint32_t has_fp64;
    uint32_t has_int64_atomics;
    uint32_t has_sub_groups;
    uint32_t has_device_scope;
    uint32_t caches_from_source;
} xl_device_info;
typedef struct xl_tunable_info {
    const char *name;
    const char *meaning;
    uint64_t least, greatest;
    uint64_t value;
    uint32_t zero;
    uint32_t from_file;
    uint32_t step;
    uint32_t turn;
} xl_tunable_info;
typedef void xl_tunable_visitor(void *user, const xl_tunable_info *info);
void xl_context_desc_init_version(xl_context_desc *desc, uint32_t version);
xl_status xl_context_create(const xl_context_desc *desc, xl_context **ctx);
xl_status xl_context_adopt(cl_context cl, cl_device_id device, const xl_context_desc *desc, xl_context **ctx);
void xl_context_destroy(xl_context *ctx);
cl_context xl_context_cl(const xl_context *ctx);
cl_device_id xl_context_device(const xl_context *ctx);
cl_command_queue xl_context_queue(xl_context *ctx);
const char *xl_context_cache(const xl_context *ctx);
xl_status xl_context_device_info(xl_context *ctx, xl_device_info *info);
const char *xl_context_error(const xl_context *ctx);
typedef void xl_device_visitor(void *user, uint32_t platform, uint32_t device, cl_platform_id pid, cl_device_id did);
uint32_t xl_devices_each(xl_device_visitor *visit, void *user);
uint32_t xl_tunables_each(xl_context *ctx, xl_tunable_visitor *visit, void *user);
typedef struct xl_plan xl_plan;
typedef struct xl_plan_details {
    uint32_t sub_group_size;
    uint32_t work_group_size;
    uint32_t item_elements;
    uint64_t tile_elements;
    char algorithm[32];
} xl_plan_details;
xl_status xl_plan_prepare(xl_plan *plan, const void *args);
xl_status xl_plan_info(const xl_plan *plan, size_t n, xl_plan_details *details);
xl_context *xl_plan_context(const xl_plan *plan);
void xl_plan_destroy(xl_plan *plan);
typedef enum xl_bounds {
    XL_BOUNDS_FOUND = 0,
    XL_BOUNDS_GIVEN = 1,
    XL_BOUNDS_PER_SYSTEM = 2
} xl_bounds;
typedef struct xl_space {
    uint32_t dimensions;
    uint32_t scalar;
    uint32_t bounds;
    uint32_t periodic;
    double origin[3];
    double cell[3][3];
    uint32_t wrap;
    uint32_t num_systems;
} xl_space;
typedef struct xl_grid_index xl_grid_index;
typedef enum xl_grid_algorithm {
    XL_GRID_AUTO = 0,
    XL_GRID_COUNTING = 1,
    XL_GRID_BITONIC = 2
} xl_grid_algorithm;
typedef enum xl_points_layout {
    XL_POINTS_AOS = 0,
    XL_POINTS_SOA = 1
} xl_points_layout;
typedef struct xl_grid_desc {
    uint32_t version;
    xl_space space;
    uint32_t layout;
    uint32_t stride;
    double cell_size;
    double points_per_cell;
    uint32_t algorithm;
    uint32_t num_tunables;
    const xl_tunable *tunables;
} xl_grid_desc;
typedef struct xl_grid_report {
    uint64_t points;
    uint64_t non_finite;
    uint64_t first_non_finite;
    uint64_t out_of_domain;
    uint64_t first_out_of_domain;
    uint32_t sparse;
    uint32_t table_cells;
    uint32_t cells[3];
    double lower[3];
    double upper[3];
} xl_grid_report;
typedef struct xl_system_cell {
    double origin[3];
    double cell[3][3];
    uint32_t periodic;
} xl_system_cell;
typedef struct xl_grid_build_args {
    size_t n;
    xl_view points;
    xl_view points_y;
    xl_view points_z;
    xl_view systems;
    const xl_system_cell *cells;
    xl_view storage;
} xl_grid_build_args;
typedef struct xl_grid_reorder_args {
    size_t element_bytes;
    uint32_t back;
    xl_view in, out;
} xl_grid_reorder_args;
typedef struct xl_grid_moved_args {
    double distance;
    xl_view points;
    xl_view points_y, points_z;
    xl_view moved;
} xl_grid_moved_args;
void xl_grid_desc_init_version(xl_grid_desc *desc, uint32_t version);
xl_status xl_grid_create(xl_context *ctx, const xl_grid_desc *desc, xl_plan **grid);
xl_status xl_grid_scratch(const xl_plan *grid, const xl_grid_build_args *args, size_t *bytes);
xl_status xl_grid_index_create(xl_context *ctx, xl_grid_index **index);
void xl_grid_index_destroy(xl_grid_index *index);
xl_status xl_grid_build_enqueue(xl_plan *grid, xl_grid_index *index, cl_command_queue queue, const xl_grid_build_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
xl_status xl_grid_index_status(xl_grid_index *index, cl_command_queue queue, xl_grid_report *report, cl_uint num_waits, const cl_event *waits);
xl_status xl_grid_index_event(xl_grid_index *index, cl_event *event);
xl_status xl_grid_reorder_enqueue(xl_plan *grid, xl_grid_index *index, cl_command_queue queue, const xl_grid_reorder_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
xl_status xl_grid_moved_enqueue(xl_plan *grid, xl_grid_index *index, cl_command_queue queue, const xl_grid_moved_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
typedef enum xl_histogram_kind {
    XL_HISTOGRAM_EVEN = 0,
    XL_HISTOGRAM_KEYS = 1,
    XL_HISTOGRAM_LEVELS = 2
} xl_histogram_kind;
typedef struct xl_histogram_desc {
    uint32_t version;
    uint32_t type;
    uint32_t counter;
    uint32_t weight;
    uint32_t load_type;
    const xl_user_type *user_load_type;
    uint64_t num_bins;
    uint32_t kind;
    double lower, upper;
    int64_t lower_integer, upper_integer;
    uint32_t accumulate;
    const char *load;
    size_t num_params;
    const xl_param *params;
    uint32_t num_tunables;
    const xl_tunable *tunables;
} xl_histogram_desc;
typedef struct xl_histogram_args {
    size_t n;
    xl_view n_device;
    xl_view in;
    xl_view levels;
    xl_view weights;
    const void *params[XL_PARAMS];
    xl_view bins;
    xl_view scratch;
} xl_histogram_args;
void xl_histogram_desc_init_version(xl_histogram_desc *desc, uint32_t version);
xl_status xl_histogram_create(xl_context *ctx, const xl_histogram_desc *desc, xl_plan **plan);
xl_status xl_histogram_scratch(const xl_plan *plan, const xl_histogram_args *args, size_t *bytes);
xl_status xl_histogram_enqueue(xl_plan *plan, cl_command_queue queue, const xl_histogram_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
typedef enum xl_sort_order {
    XL_ASCENDING = 0,
    XL_DESCENDING = 1
} xl_sort_order;
typedef enum xl_sort_algorithm {
    XL_SORT_AUTO = 0,
    XL_SORT_BITONIC = 1,
    XL_SORT_RADIX = 2
} xl_sort_algorithm;
typedef struct xl_sort_desc {
    uint32_t version;
    uint32_t key;
    const xl_user_type *user_key;
    uint32_t value;
    uint32_t more_values[XL_MORE_VALUES];
    uint32_t segment_type;
    uint32_t order;
    const xl_user_comparator *comparator;
    uint32_t begin_bit, end_bit;
    uint32_t stable;
    uint32_t equal_zeros;
    uint32_t segments;
    uint32_t values_only;
    uint32_t large;
    uint32_t algorithm;
    uint32_t num_tunables;
    const xl_tunable *tunables;
} xl_sort_desc;
typedef struct xl_sort_args {
    size_t n;
    xl_view n_device;
    xl_view keys_in;
    xl_view values_in;
    xl_view more_values_in[XL_MORE_VALUES];
    xl_view segments;
    xl_view keys_out;
    xl_view values_out;
    xl_view more_values_out[XL_MORE_VALUES];
    xl_view scratch;
} xl_sort_args;
void xl_sort_desc_init_version(xl_sort_desc *desc, uint32_t version);
xl_status xl_sort_create(xl_context *ctx, const xl_sort_desc *desc, xl_plan **plan);
xl_status xl_sort_scratch(const xl_plan *plan, const xl_sort_args *args, size_t *bytes);
xl_status xl_sort_enqueue(xl_plan *plan, cl_command_queue queue, const xl_sort_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
xl_status xl_key_to_code(uint32_t type, const void *key, uint64_t *code);
xl_status xl_code_to_key(uint32_t type, uint64_t code, void *key);
typedef enum xl_merge_operation {
    XL_MERGE_ALL = 0,
    XL_MERGE_UNION = 1,
    XL_MERGE_INTERSECTION = 2,
    XL_MERGE_DIFFERENCE = 3
} xl_merge_operation;
typedef struct xl_merge_desc {
    uint32_t version;
    uint32_t key;
    uint32_t value;
    uint32_t more_values[XL_MORE_VALUES];
    uint32_t operation;
    uint32_t order;
    uint32_t equal_zeros;
    uint32_t num_tunables;
    const xl_tunable *tunables;
} xl_merge_desc;
typedef struct xl_merge_args {
    size_t n_a, n_b;
    size_t num_runs;
    const size_t *runs;
    xl_view n_a_device;
    xl_view n_b_device;
    xl_view keys_a;
    xl_view values_a;
    xl_view more_values_a[XL_MORE_VALUES];
    xl_view keys_b;
    xl_view values_b;
    xl_view more_values_b[XL_MORE_VALUES];
    xl_view keys_out;
    xl_view values_out;
    xl_view more_values_out[XL_MORE_VALUES];
    xl_view count_out;
    xl_view scratch;
} xl_merge_args;
void xl_merge_desc_init_version(xl_merge_desc *desc, uint32_t version);
xl_status xl_merge_create(xl_context *ctx, const xl_merge_desc *desc, xl_plan **plan);
xl_status xl_merge_scratch(const xl_plan *plan, const xl_merge_args *args, size_t *bytes);
xl_status xl_merge_enqueue(xl_plan *plan, cl_command_queue queue, const xl_merge_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
typedef struct xl_morton_desc {
    uint32_t version;
    xl_space space;
    uint32_t stride;
    uint32_t code;
    uint32_t num_tunables;
    const xl_tunable *tunables;
} xl_morton_desc;
typedef struct xl_morton_args {
    size_t n;
    xl_view points;
    xl_view codes;
    xl_view scratch;
} xl_morton_args;
typedef struct xl_morton_box {
    double lower[3], upper[3];
    uint64_t first, last;
} xl_morton_box;
void xl_morton_desc_init_version(xl_morton_desc *desc, uint32_t version);
xl_status xl_morton_create(xl_context *ctx, const xl_morton_desc *desc, xl_plan **plan);
xl_status xl_morton_scratch(const xl_plan *plan, const xl_morton_args *args, size_t *bytes);
xl_status xl_morton_enqueue(xl_plan *plan, cl_command_queue queue, const xl_morton_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
xl_status xl_morton_boxes(const xl_morton_desc *desc, uint64_t first, uint64_t last, size_t capacity, xl_morton_box *boxes, size_t *count);
typedef enum xl_neighbors_queries {
    XL_QUERIES_INDEXED = 0,
    XL_QUERIES_GIVEN = 1
} xl_neighbors_queries;
typedef enum xl_neighbors_radii {
    XL_RADII_ONE = 0,
    XL_RADII_QUERY = 1,
    XL_RADII_LARGER = 2,
    XL_RADII_TYPES = 3
} xl_neighbors_radii;
typedef struct xl_neighbors_desc {
    uint32_t version;
    uint32_t queries;
    double radius;
    uint32_t radii;
    uint32_t num_types;
    const double *pair_radii;
    uint32_t inclusive;
    uint32_t include_self;
    uint32_t half;
    uint32_t sorted;
    uint32_t details;
    uint32_t row_capacity;
    uint32_t keep_nearest;
    const char *visit;
    uint32_t num_tunables;
    const xl_tunable *tunables;
} xl_neighbors_desc;
typedef struct xl_neighbors_args {
    size_t num_queries;
    size_t first_row, num_rows;
    uint64_t capacity;
    double start;
    double params[4];
    xl_view queries;
    xl_view queries_y, queries_z;
    xl_view query_systems;
    xl_view radii;
    xl_view point_radii;
    xl_view types;
    xl_view point_types;
    xl_view counts;
    xl_view offsets;
    xl_view indices;
    xl_view distances2;
    xl_view vectors;
    xl_view shifts;
    xl_view sums;
    xl_view scratch;
} xl_neighbors_args;
typedef struct xl_neighbors_report {
    uint64_t queries;
    uint64_t pairs;
    uint64_t longest_row;
    uint64_t non_finite;
    uint64_t first_non_finite;
    uint64_t too_far;
    uint64_t first_too_far;
} xl_neighbors_report;
typedef struct xl_neighbors_kernel_args {
    cl_kernel kernel;
    cl_uint first;
    double radius;
    uint32_t inclusive;
} xl_neighbors_kernel_args;
void xl_neighbors_desc_init_version(xl_neighbors_desc *desc, uint32_t version);
xl_status xl_neighbors_create(xl_plan *grid, const xl_neighbors_desc *desc, xl_plan **plan);
xl_status xl_neighbors_scratch(const xl_plan *plan, const xl_neighbors_args *args, size_t *bytes);
xl_status xl_neighbors_enqueue(xl_plan *plan, xl_grid_index *index, cl_command_queue queue, const xl_neighbors_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
xl_status xl_neighbors_count_enqueue(xl_plan *plan, xl_grid_index *index, cl_command_queue queue, const xl_neighbors_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
xl_status xl_neighbors_fill_enqueue(xl_plan *plan, xl_grid_index *index, cl_command_queue queue, const xl_neighbors_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
xl_status xl_neighbors_status(xl_plan *plan, xl_grid_index *index, cl_command_queue queue, const xl_neighbors_args *args, xl_neighbors_report *report, cl_uint num_waits, const cl_event *waits);
xl_status xl_grid_index_set_kernel_args(xl_grid_index *index, const xl_neighbors_kernel_args *args, cl_uint *next);
typedef struct xl_nearest_desc {
    uint32_t version;
    uint32_t queries;
    uint32_t k;
    double max_radius;
    uint32_t include_self;
    uint32_t num_tunables;
    const xl_tunable *tunables;
} xl_nearest_desc;
typedef struct xl_nearest_args {
    size_t num_queries;
    size_t first_row, num_rows;
    xl_view queries, queries_y, queries_z, query_systems;
    xl_view indices;
    xl_view distances2;
    xl_view scratch;
} xl_nearest_args;
typedef struct xl_nearest_report {
    uint64_t rows;
    uint64_t short_rows;
    uint64_t given_up;
    uint64_t first_given_up;
} xl_nearest_report;
void xl_nearest_desc_init_version(xl_nearest_desc *desc, uint32_t version);
xl_status xl_nearest_create(xl_plan *grid, const xl_nearest_desc *desc, xl_plan **plan);
xl_status xl_nearest_scratch(const xl_plan *plan, const xl_nearest_args *args, size_t *bytes);
xl_status xl_nearest_enqueue(xl_plan *plan, xl_grid_index *index, cl_command_queue queue, const xl_nearest_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
xl_status xl_nearest_status(xl_plan *plan, xl_grid_index *index, cl_command_queue queue, const xl_nearest_args *args, xl_nearest_report *report, cl_uint num_waits, const cl_event *waits);
typedef struct xl_nearest_approximate_desc {
    uint32_t version;
    xl_space space;
    uint32_t stride;
    uint32_t queries;
    uint32_t query_stride;
    uint32_t code;
    uint32_t k;
    uint32_t include_self;
    uint32_t shifts;
    uint32_t num_tunables;
    const xl_tunable *tunables;
} xl_nearest_approximate_desc;
typedef struct xl_nearest_approximate_args {
    size_t n;
    size_t num_queries;
    size_t first_row, num_rows;
    xl_view points;
    xl_view queries;
    xl_view indices;
    xl_view distances2;
    xl_view scratch;
} xl_nearest_approximate_args;
void xl_nearest_approximate_desc_init_version(xl_nearest_approximate_desc *desc, uint32_t version);
xl_status xl_nearest_approximate_create(xl_context *ctx, const xl_nearest_approximate_desc *desc, xl_plan **plan);
xl_status xl_nearest_approximate_scratch(const xl_plan *plan, const xl_nearest_approximate_args *args, size_t *bytes);
xl_status xl_nearest_approximate_enqueue(xl_plan *plan, cl_command_queue queue, const xl_nearest_approximate_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
xl_status xl_program_create(xl_context *ctx, const char *source, const char *options, cl_program *program);
typedef struct xl_reduce_desc {
    uint32_t version;
    uint32_t type;
    const xl_user_type *user_type;
    uint32_t load_type;
    uint32_t store_type;
    const xl_user_type *user_load_type;
    const xl_user_type *user_store_type;
    uint32_t op;
    uint32_t equal_zeros;
    const xl_user_op *user_op;
    const void *init;
    const char *load;
    const char *store;
    size_t num_params;
    const xl_param *params;
    uint32_t segments;
    uint32_t segment_type;
    uint64_t segment_width;
    uint64_t segment_mask;
    uint32_t determinism;
    uint32_t num_tunables;
    const xl_tunable *tunables;
} xl_reduce_desc;
typedef struct xl_reduce_args {
    size_t n;
    xl_view n_device;
    xl_view in;
    xl_view segments;
    const void *params[XL_PARAMS];
    xl_view out;
    xl_view keys_out;
    xl_view num_segments_out;
    xl_view scratch;
} xl_reduce_args;
void xl_reduce_desc_init_version(xl_reduce_desc *desc, uint32_t version);
xl_status xl_reduce_create(xl_context *ctx, const xl_reduce_desc *desc, xl_plan **plan);
xl_status xl_reduce_scratch(const xl_plan *plan, const xl_reduce_args *args, size_t *bytes);
xl_status xl_reduce_enqueue(xl_plan *plan, cl_command_queue queue, const xl_reduce_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
typedef enum xl_scan_kind {
    XL_EXCLUSIVE = 0,
    XL_INCLUSIVE = 1
} xl_scan_kind;
typedef enum xl_scan_algorithm {
    XL_SCAN_AUTO = 0,
    XL_SCAN_LOOKBACK = 1,
    XL_SCAN_REDUCE_THEN_SCAN = 2
} xl_scan_algorithm;
typedef struct xl_scan_desc {
    uint32_t version;
    uint32_t type;
    const xl_user_type *user_type;
    uint32_t load_type;
    uint32_t store_type;
    const xl_user_type *user_load_type;
    const xl_user_type *user_store_type;
    uint32_t op;
    uint32_t kind;
    const xl_user_op *user_op;
    const void *init;
    xl_view init_view;
    const char *load;
    const char *store;
    size_t num_params;
    const xl_param *params;
    uint32_t segments;
    uint32_t segment_type;
    uint64_t segment_width;
    uint64_t segment_mask;
    uint32_t carry;
    uint32_t determinism;
    uint32_t algorithm;
    uint32_t num_tunables;
    const xl_tunable *tunables;
} xl_scan_desc;
typedef struct xl_scan_args {
    size_t n;
    uint64_t first_index;
    xl_view n_device;
    xl_view in;
    xl_view segments;
    xl_view carry_in;
    const void *params[XL_PARAMS];
    xl_view out;
    xl_view carry_out;
    xl_view scratch;
    xl_view head_out;
} xl_scan_args;
void xl_scan_desc_init_version(xl_scan_desc *desc, uint32_t version);
xl_status xl_scan_create(xl_context *ctx, const xl_scan_desc *desc, xl_plan **plan);
xl_status xl_scan_scratch(const xl_plan *plan, const xl_scan_args *args, size_t *bytes);
xl_status xl_scan_enqueue(xl_plan *plan, cl_command_queue queue, const xl_scan_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
typedef enum xl_search_kind {
    XL_SEARCH_LOWER = 0,
    XL_SEARCH_UPPER = 1,
    XL_SEARCH_UNSORTED = 2
} xl_search_kind;
typedef struct xl_search_desc {
    uint32_t version;
    uint32_t key;
    uint32_t index;
    uint32_t kind;
    uint32_t order;
    uint32_t equal_zeros;
    uint32_t num_tunables;
    const xl_tunable *tunables;
} xl_search_desc;
typedef struct xl_search_args {
    size_t n;
    size_t num_queries;
    xl_view n_device;
    xl_view num_queries_device;
    xl_view keys;
    xl_view queries;
    xl_view indices_out;
    xl_view scratch;
} xl_search_args;
void xl_search_desc_init_version(xl_search_desc *desc, uint32_t version);
xl_status xl_search_create(xl_context *ctx, const xl_search_desc *desc, xl_plan **plan);
xl_status xl_search_scratch(const xl_plan *plan, const xl_search_args *args, size_t *bytes);
xl_status xl_search_enqueue(xl_plan *plan, cl_command_queue queue, const xl_search_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
typedef enum xl_select_kind {
    XL_SELECT_IF = 0,
    XL_SELECT_PARTITION = 1,
    XL_SELECT_PARTITION3 = 2,
    XL_SELECT_UNIQUE = 3,
    XL_SELECT_RUNS = 4,
    XL_SELECT_REPEAT = 5
} xl_select_kind;
typedef enum xl_select_by {
    XL_SELECT_BY_PREDICATE = 0,
    XL_SELECT_BY_FLAGS = 1,
    XL_SELECT_BY_BITMASK = 2
} xl_select_by;
typedef struct xl_select_desc {
    uint32_t version;
    uint32_t type;
    uint32_t value;
    uint32_t more_values[XL_MORE_VALUES];
    uint32_t index;
    const xl_user_type *user_type;
    uint32_t kind;
    uint32_t by;
    const char *predicate;
    const char *equal;
    uint32_t equal_zeros;
    size_t num_params;
    const xl_param *params;
    uint32_t num_tunables;
    const xl_tunable *tunables;
} xl_select_desc;
typedef struct xl_select_args {
    size_t n;
    size_t capacity;
    xl_view n_device;
    xl_view in;
    xl_view flags;
    xl_view lengths_in;
    xl_view values_in;
    xl_view more_values_in[XL_MORE_VALUES];
    const void *params[XL_PARAMS];
    xl_view out;
    xl_view values_out;
    xl_view more_values_out[XL_MORE_VALUES];
    xl_view indices_out;
    xl_view lengths_out;
    xl_view count_out;
    xl_view scratch;
} xl_select_args;
void xl_select_desc_init_version(xl_select_desc *desc, uint32_t version);
xl_status xl_select_create(xl_context *ctx, const xl_select_desc *desc, xl_plan **plan);
xl_status xl_select_scratch(const xl_plan *plan, const xl_select_args *args, size_t *bytes);
xl_status xl_select_enqueue(xl_plan *plan, cl_command_queue queue, const xl_select_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
xl_status xl_simple_exclusive_sum(xl_context *ctx, xl_type type, xl_type sum_type, size_t n, const void *in, void *out);
xl_status xl_simple_inclusive_sum(xl_context *ctx, xl_type type, xl_type sum_type, size_t n, const void *in, void *out);
xl_status xl_simple_reduce(xl_context *ctx, xl_type type, xl_op op, xl_type result_type, size_t n, const void *in, void *result);
xl_status xl_simple_sort(xl_context *ctx, xl_type key, xl_sort_order order, size_t n, void *keys, size_t value_bytes, void *values);
xl_status xl_simple_argsort(xl_context *ctx, xl_type key, xl_sort_order order, size_t n, const void *keys, uint32_t *indices);
xl_status xl_simple_top_k(xl_context *ctx, xl_type key, xl_sort_order order, size_t n, const void *keys, size_t k, void *keys_out, uint32_t *indices);
xl_status xl_simple_unique(xl_context *ctx, xl_type type, size_t n, const void *in, void *out, size_t *count);
xl_status xl_simple_histogram(xl_context *ctx, xl_type type, size_t n, const void *in, double lower, double upper, size_t num_bins, uint64_t *bins);
typedef struct xl_neighbor_list {
    size_t n;
    uint64_t *offsets;
    uint32_t *indices;
    void *distances;
    void *vectors;
    int32_t *shifts;
} xl_neighbor_list;
typedef enum xl_list_details {
    XL_LIST_DISTANCES = 1,
    XL_LIST_VECTORS = 2,
    XL_LIST_SHIFTS = 4
} xl_list_details;
xl_status xl_simple_neighbors(xl_context *ctx, const xl_space *space, size_t n, const void *points, double radius, uint32_t details, xl_neighbor_list *list);
xl_status xl_simple_nearest(xl_context *ctx, const xl_space *space, size_t n, const void *points, uint32_t k, uint32_t details, xl_neighbor_list *list);
void xl_simple_free(xl_neighbor_list *list);
typedef xl_status xl_split_find(void *user, size_t count, const uint64_t *values, uint64_t *found);
typedef xl_status xl_split_sum(void *user, int exclusive, size_t count, uint64_t *values);
typedef struct xl_split_args {
    uint64_t n;
    uint32_t code_bits;
    uint32_t num_parts;
    const uint64_t *targets;
    void *user;
    xl_split_find *find;
    xl_split_find *weigh, *find_weight;
    xl_split_sum *sum;
    uint64_t *cuts;
    uint64_t *scratch;
} xl_split_args;
size_t xl_split_scratch(uint32_t num_parts);
xl_status xl_split(const xl_split_args *args);
typedef struct xl_top_k_desc {
    uint32_t version;
    uint32_t key;
    uint32_t value;
    uint32_t more_values[XL_MORE_VALUES];
    uint32_t segment_type;
    uint32_t largest;
    uint32_t sorted;
    uint32_t equal_zeros;
    uint32_t segments;
    uint32_t num_tunables;
    const xl_tunable *tunables;
} xl_top_k_desc;
typedef struct xl_top_k_args {
    size_t n;
    size_t k;
    xl_view n_device;
    xl_view keys_in;
    xl_view values_in;
    xl_view more_values_in[XL_MORE_VALUES];
    xl_view segments;
    xl_view keys_out;
    xl_view values_out;
    xl_view more_values_out[XL_MORE_VALUES];
    xl_view indices_out;
    xl_view count_out;
    xl_view counts_out;
    xl_view scratch;
} xl_top_k_args;
void xl_top_k_desc_init_version(xl_top_k_desc *desc, uint32_t version);
xl_status xl_top_k_create(xl_context *ctx, const xl_top_k_desc *desc, xl_plan **plan);
xl_status xl_top_k_scratch(const xl_plan *plan, const xl_top_k_args *args, size_t *bytes);
xl_status xl_top_k_enqueue(xl_plan *plan, cl_command_queue queue, const xl_top_k_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
enum {
    XL_TRANSFORM_ARRAYS = 4
};
typedef enum xl_transform_kind {
    XL_TRANSFORM_MAP = 0,
    XL_TRANSFORM_GATHER = 1,
    XL_TRANSFORM_SCATTER = 2,
    XL_TRANSFORM_ADJACENT = 3
} xl_transform_kind;
typedef struct xl_transform_desc {
    uint32_t version;
    uint32_t num_arrays;
    uint32_t types[XL_TRANSFORM_ARRAYS];
    uint32_t out_type;
    uint32_t index_type;
    const xl_user_type *user_types[XL_TRANSFORM_ARRAYS];
    const xl_user_type *user_out_type;
    uint32_t kind;
    const char *expression;
    size_t num_params;
    const xl_param *params;
    uint32_t num_tunables;
    const xl_tunable *tunables;
} xl_transform_desc;
typedef struct xl_transform_args {
    size_t n;
    size_t range;
    xl_view n_device;
    xl_view in[XL_TRANSFORM_ARRAYS];
    xl_view indices;
    const void *params[XL_PARAMS];
    xl_view out[XL_TRANSFORM_ARRAYS];
    xl_view scratch;
} xl_transform_args;
void xl_transform_desc_init_version(xl_transform_desc *desc, uint32_t version);
xl_status xl_transform_create(xl_context *ctx, const xl_transform_desc *desc, xl_plan **plan);
xl_status xl_transform_scratch(const xl_plan *plan, const xl_transform_args *args, size_t *bytes);
xl_status xl_transform_enqueue(xl_plan *plan, cl_command_queue queue, const xl_transform_args *args, cl_uint num_waits, const cl_event *waits, cl_event *event);
