// SPDX-License-Identifier: MIT
using System;

namespace Tq
{
    /// <summary>A key of the TQ cipher: two tables of 256 bytes. Immutable.</summary>
    public sealed class TqKey
    {
        /// <summary>Seed of the first table in Conquer Online.</summary>
        public const uint ConquerP = 0x13FA0F9D;

        /// <summary>Seed of the second table in Conquer Online.</summary>
        public const uint ConquerG = 0x6D5C7962;

        private readonly byte[] tables = new byte[Native.KeyStructSize];

        /// <summary>Makes a key from its two seeds.</summary>
        public TqKey(uint p = ConquerP, uint g = ConquerG)
        {
            Native.tq_key_generate(tables, p, g);
        }

        private TqKey(TqKey origin, uint token, uint accountId)
        {
            Native.tq_key_alternate(tables, origin.tables, token, accountId);
        }

        /// <summary>
        /// The key that a game server (patches 4267-5017) takes for a client's bytes after
        /// MsgConnect. The two numbers do not commute.
        /// </summary>
        /// <param name="token">Of MsgConnect, 32 bits at offset 8.</param>
        /// <param name="accountId">Of MsgConnect, 32 bits at offset 4.</param>
        public TqKey Alternate(uint token, uint accountId)
        {
            return new TqKey(this, token, accountId);
        }

        /// <summary>A copy of the table that the counter's low byte indexes.</summary>
        public byte[] K1
        {
            get { return Copy(0); }
        }

        /// <summary>A copy of the table that the counter's high byte indexes.</summary>
        public byte[] K2
        {
            get { return Copy(Native.KeySize); }
        }

        private byte[] Copy(int offset)
        {
            var table = new byte[Native.KeySize];

            Array.Copy(tables, offset, table, 0, table.Length);
            return table;
        }
    }
}
