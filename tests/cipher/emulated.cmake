# SPDX-License-Identifier: MIT
#
# The same tests on processors that this machine is not: other x86 ones, where the right backend
# must be chosen and no instruction be unknown, and other architectures.

# The program of this build under qemu's model of a processor: cipher_test_x86(NAME CPU BACKEND)
find_program(QEMU_X86_64 qemu-x86_64)
function(cipher_test_x86 name cpu backend)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    cipher_skip_test(cipher_x86_${name} "this is no x86-64 build")
  elseif(NOT QEMU_X86_64)
    cipher_skip_test(cipher_x86_${name} "qemu-x86_64 is not installed")
  elseif(TQ_SANITIZE)
    cipher_skip_test(cipher_x86_${name} "qemu-x86_64 does not run AddressSanitizer")
  else()
    cipher_add_test(cipher_x86_${name}
      ${QEMU_X86_64} -cpu ${cpu} $<TARGET_FILE:cipher_test_vectors> --expect ${backend})
  endif()
endfunction()

cipher_test_x86(core2duo core2duo sse2)
cipher_test_x86(nehalem Nehalem sse2)
cipher_test_x86(haswell Haswell avx2)
cipher_test_x86(haswell_without_avx2 Haswell,-avx2 sse2)
cipher_test_x86(haswell_without_xsave Haswell,-xsave sse2)
cipher_test_x86(max max avx2)

# A build of its own for another architecture: cipher_test_cross(ARCH COMPILER EMULATOR)
function(cipher_test_cross arch compiler emulator)
  find_program(CROSS_${arch} ${compiler})
  find_program(EMULATOR_${arch} ${emulator})
  if(NOT CROSS_${arch})
    cipher_skip_test(cipher_cross_${arch} "${compiler} is not installed")
  elseif(NOT EMULATOR_${arch})
    cipher_skip_test(cipher_cross_${arch} "${emulator} is not installed")
  else()
    cipher_add_test(cipher_cross_${arch} ${CMAKE_CTEST_COMMAND}
      --build-and-test ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/cross-${arch}
      --build-generator ${CMAKE_GENERATOR}
      --build-options
      -DCMAKE_TOOLCHAIN_FILE=${CMAKE_CURRENT_SOURCE_DIR}/toolchains/${arch}.cmake
      -DCMAKE_BUILD_TYPE=Release
      --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure)
    # there, some tests are skipped as they should be: those of the backends of other architectures
    set_tests_properties(cipher_cross_${arch} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
  endif()
endfunction()

cipher_test_cross(aarch64 aarch64-linux-gnu-gcc qemu-aarch64)
cipher_test_cross(i386 i686-linux-gnu-gcc qemu-i386)
cipher_test_cross(s390x s390x-linux-gnu-gcc qemu-s390x)
