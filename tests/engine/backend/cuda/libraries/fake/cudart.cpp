// SPDX-License-Identifier: Apache-2.0
// Stands for CUDA's runtime: what cuDNN's frontend asks it, of one card of the generation 9.0 that records nothing.
#include <cuda_runtime_api.h>

#define EXPORT extern "C" __attribute__((visibility("default")))
EXPORT cudaError_t CUDARTAPI cudaRuntimeGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}
EXPORT cudaError_t CUDARTAPI cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}
EXPORT cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    if (device != 0) return cudaErrorInvalidDevice;
    if (attribute != cudaDevAttrComputeCapabilityMajor && attribute != cudaDevAttrComputeCapabilityMinor)
        return cudaErrorInvalidValue;
    *value = attribute == cudaDevAttrComputeCapabilityMajor ? 9 : 0;
    return cudaSuccess;
}
EXPORT const char* CUDARTAPI cudaGetErrorString(cudaError_t error) {
    return error == cudaSuccess ? "no error" : "not what the stand-in was made for";
}
#if CUDART_VERSION >= 13000
EXPORT cudaError_t CUDARTAPI cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* status,
                                                      unsigned long long*, cudaGraph_t*, const cudaGraphNode_t**,
                                                      const cudaGraphEdgeData**, size_t*) {
#else
EXPORT cudaError_t CUDARTAPI cudaStreamGetCaptureInfo_v2(cudaStream_t, cudaStreamCaptureStatus* status,
                                                         unsigned long long*, cudaGraph_t*, const cudaGraphNode_t**,
                                                         size_t*) {
#endif
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

// The library of the run-time compiler, of which only this function is needed.
EXPORT int nvrtcVersion(int* major, int* minor) {
    *major = 13;
    *minor = 1;
    return 0;
}
