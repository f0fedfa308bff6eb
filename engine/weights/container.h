// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/mapped_file.h"
#include "engine/core/tensor.h"

namespace denoir {

/// One tensor as its file describes it. Every offset and product was checked against the file; none of the data was
/// read.
struct FileTensor {
    std::string name;                  ///< as in the file, prefixes and all
    std::string dtype_name;            ///< as the file calls it: "BF16", "Q4_K"
    std::optional<DType> dtype;        ///< nothing: a type that the engine cannot read
    std::vector<std::int64_t> shape;   ///< PyTorch order, slowest axis first; any rank
    std::vector<std::int64_t> strides; ///< elements; empty: dense (only .pth files have others)
    std::uint64_t offset = 0;          ///< of the first element, from the start of the file
    std::uint64_t bytes = 0;           ///< of a dense copy
};

/// Where the elements of an array in a GGUF file's metadata lie, whole and inside the file.
struct MetadataArray {
    std::uint32_t type = 0; ///< GGUF's number
    std::uint64_t count = 0, offset = 0;
};

/// A checkpoint file, opened: its table of contents and its mapped pages. The content decides the format, never the
/// extension.
struct Container {
    enum class Format { safetensors, pth, gguf };
    Format format = Format::safetensors;
    std::shared_ptr<MappedFile> file;
    std::vector<FileTensor> tensors;             ///< in the order of the file's table, names unique
    std::map<std::string, std::string> metadata; ///< safetensors: `__metadata__`; GGUF: its scalar keys as text
    std::map<std::string, MetadataArray> arrays; ///< GGUF: the others
    bool old_pth = false;                        ///< from before PyTorch 1.6

    /// The tensor, dense and aligned to its element: a view on the mapped pages, or a copy where strides or a
    /// misaligned offset require one; an f32 copy where is_widened(). Throws Error naming the tensor where the type
    /// cannot be read or the rank is above Shape::max_rank.
    Tensor tensor(const FileTensor&) const;
    /// As tensor(), but a view also if is_misaligned(): then its bytes may be copied, but its elements must not be read
    /// in place.
    Tensor in_place(const FileTensor&) const;
    const FileTensor* find(std::string_view name) const;
};

std::string_view name(Container::Format);

/// The tokenizer that ComfyUI's text encoders carry along: a SentencePiece model as the byte tensor `spiece_model`, in
/// all-in-one files with a prefix; null where there is none.
const FileTensor* tokenizer_tensor(const Container&);
/// True where there is such a tensor, or a T5 tokenizer in the metadata of a GGUF file (`tokenizer.ggml.model`).
bool carries_tokenizer(const Container&);

/// True for block types whose rows are not whole blocks: tensors of a single axis, of which the kernels read each
/// element as a row, and those with an original shape beside the stored one (spec/checkpoints.md 5.2) whose last axis
/// is not a multiple of the block.
bool is_widened(const FileTensor&);

/// True where Container::tensor copies: the tensor is not a dense block of the file, aligned to its element.
bool is_copied(const FileTensor&);

/// True where the tensor is dense, but its place in the file is not aligned to its element. A writer that does not pad
/// the safetensors header leaves all tensors so.
bool is_misaligned(const FileTensor&);

/// Whether a .pth from before PyTorch 1.6 is read: LPIPS is published in such files, models never are
/// (spec/checkpoints.md 4.2).
enum class OldPth { refuse, read };
Error old_pth_refusal(const std::string& file); ///< the error for such a file where it is refused

/// Opens a safetensors, PyTorch zip (.pth) or GGUF file and reads its table of contents (spec/checkpoints.md 3 to 5).
/// A file whose table breaks any rule of its format is refused with an Error, within 2 s and 1 GiB. Executes nothing.
Container open_container(const std::filesystem::path& path, OldPth old = OldPth::refuse);

/// The number of elements; empty if it does not fit in 63 bits or an axis is negative.
std::optional<std::int64_t> checked_elements(const std::vector<std::int64_t>& shape);

} // namespace denoir
