// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Tq
{
    /// <summary>Which implementation of the cipher the whole process uses.</summary>
    public static class TqBackend
    {
        /// <summary>Names of all implementations for all processors, from the plainest up.</summary>
        public static IList<string> Names
        {
            get
            {
                var names = new List<string>();
                IntPtr list = Native.tq_backend_names();

                for (IntPtr name; (name = Marshal.ReadIntPtr(list)) != IntPtr.Zero; list += IntPtr.Size)
                    names.Add(Marshal.PtrToStringAnsi(name));
                return names;
            }
        }

        /// <summary>The name of the one in use.</summary>
        public static string Current
        {
            get { return Marshal.PtrToStringAnsi(Native.tq_backend_name()); }
        }

        /// <summary>Says whether this processor and this library have an implementation.</summary>
        public static bool IsAvailable(string name)
        {
            return Native.tq_backend_check(Native.ToC(name)) == 0;
        }

        /// <summary>Takes one implementation in place of the best.</summary>
        /// <param name="name">One of <see cref="Names"/>; null or "auto" for the best.</param>
        /// <exception cref="ArgumentException">It cannot be had; the message says why. The choice
        /// remains as it was.</exception>
        public static void Force(string name)
        {
            int status = Native.tq_backend_force(Native.ToC(name));

            if (status != 0)
                throw new ArgumentException(
                    name + ": " + Marshal.PtrToStringAnsi(Native.tq_backend_status_text(status)), "name");
        }
    }
}
