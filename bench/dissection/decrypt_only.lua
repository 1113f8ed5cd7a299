-- SPDX-License-Identifier: MIT
-- What a user would write in an afternoon, to compare with: deciphers the TQ cipher of game
-- connections whose every segment is there, in order, and holds whole messages. Shows no fields of
-- messages beyond type and bytes.
local tq = Proto("tq_lua", "TQ in Lua")
local f_direction = ProtoField.uint8("tq_lua.direction", "Direction")
local f_type = ProtoField.uint16("tq_lua.type", "Type")
local f_plaintext = ProtoField.bytes("tq_lua.plaintext", "Plaintext")
tq.fields = {f_direction, f_type, f_plaintext}

local tcp_stream, tcp_seq = Field.new("tcp.stream"), Field.new("tcp.seq")
local bxor, band, bor = bit32.bxor, bit32.band, bit32.bor
local lshift, rshift = bit32.lshift, bit32.rshift
local GAME_PORT = 5816

local first, second, swap = {}, {}, {}
do
    local p, g = {0x9D, 0x0F, 0xFA, 0x13}, {0x62, 0x79, 0x5C, 0x6D}
    for i = 0, 255 do
        first[i], second[i] = p[1], g[1]
        swap[i] = bor(band(lshift(i, 4), 0xF0), rshift(i, 4))
        p[1] = ((p[2] + p[1] * p[3]) * p[1] + p[4]) % 256
        g[1] = ((g[2] - g[1] * g[3]) * g[1] + g[4]) % 256
    end
end

local function multiply(a, b) -- modulo 2^32
    local low, high = band(a, 0xFFFF), rshift(a, 16)
    return (low * b + lshift(band(high * band(b, 0xFFFF), 0xFFFF), 16)) % 4294967296
end

local alternate = {} -- by stream: the client's key after MsgConnect

local function rekey(stream, account, token)
    local x = bxor(bxor((account + token) % 4294967296, 0x4321), token)
    local y, key = multiply(x, x), {x = {}, y = {}}
    for i = 0, 3 do
        key.x[i], key.y[i] = band(rshift(x, 8 * i), 255), band(rshift(y, 8 * i), 255)
    end
    alternate[stream] = key
end

function tq.dissector(buffer, pinfo, tree)
    local stream, position = tcp_stream().value, tcp_seq().value - 1
    local from_server, key = pinfo.src_port == GAME_PORT, alternate[stream]
    local bytes, length, out = buffer:bytes(), buffer:len(), {}

    for i = 0, length - 1 do
        local counter = (position + i) % 65536
        local low, high = counter % 256, rshift(counter, 8)
        local k, b = bxor(first[low], second[high]), bytes:get_index(i)
        if from_server then
            b = bxor(swap[bxor(b, k)], 0xAB)
        else
            if key and position + i >= 28 then
                k = bxor(k, key.x[low % 4], key.y[high % 4])
            end
            b = bxor(swap[bxor(b, 0xAB)], k)
        end
        out[i + 1] = string.format("%02x", b)
    end

    local plain, offset = ByteArray.new(table.concat(out)):tvb("Deciphered"), 0
    while offset + 4 <= length do
        local size, kind = plain(offset, 2):le_uint(), plain(offset + 2, 2):le_uint()
        if size < 4 or offset + size > length then
            break
        end
        local item = tree:add(tq, plain(offset, size))
        item:add(f_direction, from_server and 1 or 0)
        item:add_le(f_type, plain(offset + 2, 2))
        item:add(f_plaintext, plain(offset, size))
        if kind == 1052 and not from_server and not pinfo.visited then
            rekey(stream, plain(offset + 4, 4):le_uint(), plain(offset + 8, 4):le_uint())
        end
        offset = offset + size
    end
    pinfo.cols.protocol = "TQ"
    return length
end

DissectorTable.get("tcp.port"):add(GAME_PORT, tq)
