// SPDX-License-Identifier: MIT
using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Tq
{
    /// <summary>The functions of tq_cipher.h, which documents them.</summary>
    internal static class Native
    {
        /// <summary>libtqcipher.so, libtqcipher.dylib or tqcipher.dll, wherever the loader looks.</summary>
        private const string Library = "tqcipher";

        // Sizes and offsets of version 1 of the interface. Its structs hold bytes and small integers
        // only, so they are the same for every compiler.
        internal const int KeySize = 256;
        internal const int KeyStructSize = 2 * KeySize;
        private const int TablesStructSize = 2 * KeySize + 64 + 2 * KeySize;
        internal const int EncryptCounterOffset = sizeof(int) + KeyStructSize + 2 * TablesStructSize;
        internal const int DecryptCounterOffset = EncryptCounterOffset + sizeof(ushort);
        internal const int CipherStructSize = DecryptCounterOffset + sizeof(ushort);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void tq_key_generate(byte[] key, uint p, uint g);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void tq_key_alternate(byte[] key, byte[] origin, uint token,
                                                     uint accountId);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void tq_cipher_init(byte[] cipher, TqRole role);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void tq_cipher_generate_key(byte[] cipher, uint p, uint g);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void tq_cipher_generate_alternate_key(byte[] cipher, uint token,
                                                                     uint accountId);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void tq_cipher_encrypt(byte[] cipher, ref byte target,
                                                      ref byte source, UIntPtr length);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void tq_cipher_decrypt(byte[] cipher, ref byte target,
                                                      ref byte source, UIntPtr length);

        /// <summary>A string as C has it, null included. What C cannot have in a string, and what a
        /// marshaller would replace by something like it, makes a string that no name is.</summary>
        internal static byte[] ToC(string text)
        {
            return text == null ? null : Encoding.UTF8.GetBytes(text.Replace('\0', '\uFFFD') + '\0');
        }

        // Strings are static in the library: were they marshalled as such, they would be freed.
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr tq_backend_names();

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr tq_backend_name();

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int tq_backend_check(byte[] name);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr tq_backend_status_text(int status);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int tq_backend_force(byte[] name);
    }
}
