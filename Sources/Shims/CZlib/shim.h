#pragma once
#include <zlib.h>

// zlib offers these as macros, which Swift does not import.
static inline int campanile_deflateInit2(
    z_stream *stream, int level, int method, int windowBits, int memLevel, int strategy) {
    return deflateInit2(stream, level, method, windowBits, memLevel, strategy);
}
static inline int campanile_inflateInit2(z_stream *stream, int windowBits) { return inflateInit2(stream, windowBits); }
