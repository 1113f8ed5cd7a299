// SPDX-License-Identifier: MIT
using System;

namespace Tq
{
    /// <summary>Which end of a connection a cipher is. Each undoes what the other does.</summary>
    public enum TqRole
    {
        Server,
        Client,
    }

    /// <summary>
    /// One end of a connection with the TQ cipher, which Conquer Online uses on the account server in
    /// every patch and on the game server in patches 4267-5017. It gives no security.
    /// Distinct threads must not share one without locking.
    /// </summary>
    public sealed class TqCipher
    {
        private readonly byte[] state = new byte[Native.CipherStructSize];

        /// <summary>Makes a cipher with Conquer Online's key, and both counters at 0.</summary>
        /// <exception cref="ArgumentOutOfRangeException">The role is none of the two.</exception>
        public TqCipher(TqRole role)
        {
            if (role != TqRole.Server && role != TqRole.Client)
                throw new ArgumentOutOfRangeException("role");
            Native.tq_cipher_init(state, role);
        }

        /// <summary>Bytes sent so far, modulo 65,536.</summary>
        public ushort EncryptCounter
        {
            get { return BitConverter.ToUInt16(state, Native.EncryptCounterOffset); }
        }

        /// <summary>Bytes received so far, modulo 65,536.</summary>
        public ushort DecryptCounter
        {
            get { return BitConverter.ToUInt16(state, Native.DecryptCounterOffset); }
        }

        /// <summary>Takes the key of other seeds; both counters start again from 0.</summary>
        public void GenerateKey(uint p, uint g)
        {
            Native.tq_cipher_generate_key(state, p, g);
        }

        /// <summary>
        /// Takes the alternate key for client-to-server bytes, whose counter runs on. Bytes from the
        /// server keep the first key, and their counter starts again from 0.
        /// </summary>
        /// <param name="token">Of MsgConnect, 32 bits at offset 8.</param>
        /// <param name="accountId">Of MsgConnect, 32 bits at offset 4.</param>
        public void GenerateAlternateKey(uint token, uint accountId)
        {
            Native.tq_cipher_generate_alternate_key(state, token, accountId);
        }

        /// <summary>Encrypts, in place, the next bytes that this end sends.</summary>
        public void Encrypt(byte[] buffer, int offset, int count)
        {
            CheckRange(buffer, offset, count);
            if (count > 0)
                Native.tq_cipher_encrypt(state, ref buffer[offset], ref buffer[offset],
                                         (UIntPtr)(uint)count);
        }

        /// <summary>Encrypts, in place, the next bytes that this end sends.</summary>
        public void Encrypt(byte[] buffer)
        {
            Encrypt(buffer, 0, buffer == null ? 0 : buffer.Length);
        }

        /// <summary>Decrypts, in place, the next bytes that this end received.</summary>
        public void Decrypt(byte[] buffer, int offset, int count)
        {
            CheckRange(buffer, offset, count);
            if (count > 0)
                Native.tq_cipher_decrypt(state, ref buffer[offset], ref buffer[offset],
                                         (UIntPtr)(uint)count);
        }

        /// <summary>Decrypts, in place, the next bytes that this end received.</summary>
        public void Decrypt(byte[] buffer)
        {
            Decrypt(buffer, 0, buffer == null ? 0 : buffer.Length);
        }

        private static void CheckRange(byte[] buffer, int offset, int count)
        {
            if (buffer == null)
                throw new ArgumentNullException("buffer");
            if (offset < 0 || offset > buffer.Length)
                throw new ArgumentOutOfRangeException("offset");
            if (count < 0 || count > buffer.Length - offset)
                throw new ArgumentOutOfRangeException("count");
        }
    }
}
