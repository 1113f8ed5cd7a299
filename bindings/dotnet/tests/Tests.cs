// SPDX-License-Identifier: MIT
//
// The binding against the vectors that the C library is tested with, each with every implementation
// that this processor has; and the binding's own promises.
//
// usage: Tests.exe VECTORS
// VECTORS: one vector a line, words of the form NAME=VALUE; the names are those of vectors.json,
// whose notes explain the operations.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using Tq;

internal static class Tests
{
    private sealed class Vector : Dictionary<string, string>
    {
        internal Vector(string line)
        {
            foreach (string word in line.Split(' '))
                Add(word.Split('=')[0], word.Split('=')[1]);
        }

        internal uint Number(string name)
        {
            return uint.Parse(this[name]);
        }

        internal uint Hex(string name)
        {
            return Convert.ToUInt32(this[name], 16);
        }

        internal bool Encrypts
        {
            get { return this["op"].Contains("enc"); }
        }

        internal bool HasAlternateKey
        {
            get { return ContainsKey("A"); }
        }

        internal TqRole Role
        {
            get { return this["op"].StartsWith("client_") ? TqRole.Client : TqRole.Server; }
        }
    }

    private static void Check(bool holds, string what)
    {
        if (!holds)
            throw new Exception(what);
    }

    private static void CheckThrows<E>(Action action, string what) where E : Exception
    {
        try
        {
            action();
        }
        catch (E)
        {
            return;
        }
        throw new Exception(what + " throws no " + typeof(E).Name);
    }

    private static string ToHex(byte[] bytes)
    {
        return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant();
    }

    private static byte[] Input(uint length)
    {
        return Enumerable.Range(0, (int)length).Select(i => (byte)(i * 31 + (i >> 8) * 17 + 11)).ToArray();
    }

    private static void CheckOutput(Vector vector, byte[] bytes)
    {
        string shown = string.Join(" ", vector);

        if (vector.ContainsKey("output"))
            Check(ToHex(bytes) == vector["output"], shown);
        else
            using (var sha256 = SHA256.Create())
                Check(ToHex(sha256.ComputeHash(bytes)) == vector["output_sha256"], shown);
    }

    private static void CheckKey(Vector vector)
    {
        TqKey key = vector.ContainsKey("P") ? new TqKey(vector.Hex("P"), vector.Hex("G")) : new TqKey();

        if (vector.HasAlternateKey)
            key = key.Alternate(vector.Number("A"), vector.Number("B"));
        Check(ToHex(key.K1) == vector["K1"] && ToHex(key.K2) == vector["K2"], vector["op"]);
    }

    // The counter of client-to-server bytes runs on over the change of key.
    private static void CheckCounterRunsOn(Vector vector)
    {
        var cipher = new TqCipher(TqRole.Server);
        byte[] bytes = Input(vector.Number("length"));

        cipher.Decrypt(Input(vector.Number("bytes_before")));
        cipher.Encrypt(Input(100));
        Check(cipher.EncryptCounter == 100, "EncryptCounter");
        cipher.GenerateAlternateKey(vector.Number("A"), vector.Number("B"));
        Check(cipher.EncryptCounter == 0, "EncryptCounter after GenerateAlternateKey");
        Check(cipher.DecryptCounter == vector.Number("bytes_before"), "DecryptCounter");
        cipher.Decrypt(bytes);
        CheckOutput(vector, bytes);
    }

    private static void CheckStream(Vector vector)
    {
        var cipher = new TqCipher(vector.Role);
        Action<byte[]> crypt = vector.Encrypts ? (Action<byte[]>)cipher.Encrypt : cipher.Decrypt;
        byte[] bytes = Input(vector.Number("length"));

        if (vector.HasAlternateKey)
            cipher.GenerateAlternateKey(vector.Number("A"), vector.Number("B"));
        crypt(new byte[vector.Number("counter")]);
        crypt(bytes);
        CheckOutput(vector, bytes);
    }

    private static void CheckVector(Vector vector)
    {
        if (vector.ContainsKey("K1"))
            CheckKey(vector);
        else if (vector["op"] == "reset_c2s")
            CheckCounterRunsOn(vector);
        else
            CheckStream(vector);
    }

    private static void CheckRanges()
    {
        var cipher = new TqCipher(TqRole.Server);
        var bytes = new byte[10];

        CheckThrows<ArgumentNullException>(() => cipher.Encrypt(null), "null");
        CheckThrows<ArgumentOutOfRangeException>(() => cipher.Encrypt(bytes, 11, 0), "offset 11");
        CheckThrows<ArgumentOutOfRangeException>(() => cipher.Decrypt(bytes, 4, 7), "count 7");
        CheckThrows<ArgumentOutOfRangeException>(() => cipher.Decrypt(bytes, -1, 1), "offset -1");
        cipher.Encrypt(bytes, 10, 0);
        Check(cipher.EncryptCounter == 0, "an empty range counts");
        cipher.Encrypt(bytes, 4, 3);
        Check(cipher.EncryptCounter == 3, "EncryptCounter after 3 bytes");
        Check(bytes.Take(4).Concat(bytes.Skip(7)).All(b => b == 0), "bytes around a range change");
    }

    private static void CheckRoles()
    {
        foreach (int role in new[] { -1, 2, int.MaxValue })
            CheckThrows<ArgumentOutOfRangeException>(() => new TqCipher((TqRole)role), "role " + role);
    }

    // Elsewhere than on 32-bit Windows all conventions are one, so that no call would show it.
    private static void CheckCallingConventions()
    {
        var functions = typeof(Native).GetMethods(BindingFlags.Static | BindingFlags.NonPublic)
            .Select(method => new { method.Name, Import = method.GetCustomAttribute<DllImportAttribute>() })
            .Where(function => function.Import != null).ToArray();

        Check(functions.Length > 0, "no function is imported");
        foreach (var function in functions)
            Check(function.Import.CallingConvention == CallingConvention.Cdecl, function.Name);
    }

    private static void CheckRoundTrip()
    {
        var server = new TqCipher(TqRole.Server);
        var client = new TqCipher(TqRole.Client);
        byte[] bytes = Input(1000);

        server.GenerateKey(1, 2);
        client.GenerateKey(1, 2);
        server.Encrypt(bytes);
        client.Decrypt(bytes);
        Check(bytes.SequenceEqual(Input(1000)), "a client does not read what a server writes");
    }

    private static void CheckBackends()
    {
        string best = TqBackend.Current;

        CheckThrows<ArgumentException>(() => TqBackend.Force("nonsense"), "an unknown name");
        foreach (string name in TqBackend.Names.Where(name => !TqBackend.IsAvailable(name)))
            CheckThrows<ArgumentException>(() => TqBackend.Force(name), name);
        foreach (string name in new[] { "scalar\0x", "\0", "auto\0", "\uFF53calar", "" })
        {
            CheckThrows<ArgumentException>(() => TqBackend.Force(name), name);
            Check(!TqBackend.IsAvailable(name), name + " is available");
        }
        TqBackend.Force("scalar");
        Check(TqBackend.Current == "scalar", "scalar is not forced");
        TqBackend.Force(null);
        Check(TqBackend.Current == best, "the best is not taken again");
    }

    private static void Main(string[] arguments)
    {
        Vector[] vectors = File.ReadLines(arguments[0]).Select(line => new Vector(line)).ToArray();

        CheckCallingConventions();
        CheckRoles();
        CheckRanges();
        CheckRoundTrip();
        CheckBackends();
        foreach (string name in TqBackend.Names.Where(TqBackend.IsAvailable))
        {
            TqBackend.Force(name);
            foreach (Vector vector in vectors)
                CheckVector(vector);
            Console.WriteLine("{0}: {1} vectors", name, vectors.Length);
        }
    }
}
