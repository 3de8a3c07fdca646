import assert from "node:assert/strict";
import { isInIpRange, parseIpAddress, parseIpRange } from "../../src/util/ip_range.ts";

Deno.test("addresses are read in all their forms", () => {
  assert.deepEqual([...parseIpAddress("192.0.2.1")!], [192, 0, 2, 1]);
  assert.deepEqual([...parseIpAddress("::")!], new Array(16).fill(0));
  assert.deepEqual([...parseIpAddress("102::fFfe")!], [1, 2, ...new Array(12).fill(0), 255, 254]);
  assert.deepEqual(parseIpAddress("2001:DB8::a:0:1"), parseIpAddress("2001:db8:0:0:0:a:0:1"));
  assert.deepEqual(parseIpAddress("1:2:3:4:5:6:7::"), parseIpAddress("1:2:3:4:5:6:7:0"));
  assert.deepEqual(parseIpAddress("64:ff9b::192.0.2.1"), parseIpAddress("64:ff9b::c000:201"));
  assert.deepEqual(parseIpAddress("::ffff:192.0.2.1"), parseIpAddress("192.0.2.1"));
  for (
    const text of [
      "::ff:192.0.2.1",
      "::ff00:192.0.2.1",
      "1::ffff:192.0.2.1",
      "100::ffff:192.0.2.1",
      "0:0:0:0:1:ffff:192.0.2.1",
      "::1:ffff:192.0.2.1",
    ]
  ) {
    assert.equal(parseIpAddress(text)!.length, 16, `${text} is no address of IPv4`);
  }
});

Deno.test("what is no address is refused", () => {
  const texts = [
    ..."|1.2.3|1.2.3.4.5|01.2.3.4|1.2.3.256|1.2.3.4 |0x1.2.3.4|localhost|1:2|:::|1::2::3|:1::2|1:2:3:4:5:6:7:8:9"
      .split("|"),
    ..."1:2:3:4:5:6:7:8::|::12345|::g|1.2.3.4::|::1.2.3|::1.2.3.4:5|[::1]|fe80::1%eth0|1:2:3:4:5:6:7".split(
      "|",
    ),
  ];
  for (const text of texts) assert.equal(parseIpAddress(text), undefined, text);
});

Deno.test("a range holds the addresses that share its first bits, of its family only", () => {
  const cases: readonly [range: string, inside: string, outside: string][] = [
    ["10.0.0.0/8", "10.255.1.2", "11.0.0.0"],
    ["192.0.2.128/25", "192.0.2.255", "192.0.2.127"],
    ["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"],
    ["0.0.0.0/0", "203.0.113.9", "::1"],
    ["fd00::/8", "fdff::1", "fe00::"],
    ["::/0", "2001:db8::1", "10.0.0.1"],
    ["::ffff:10.0.0.0/104", "10.1.2.3", "11.0.0.1"],
    ["2001:db8::1", "2001:db8:0::1", "2001:db8::2"],
  ];
  for (const [range, inside, outside] of cases) {
    const parsed = parseIpRange(range)!;
    assert.equal(isInIpRange(parseIpAddress(inside)!, parsed), true, `${inside} in ${range}`);
    assert.equal(isInIpRange(parseIpAddress(outside)!, parsed), false, `${outside} in ${range}`);
  }
});

Deno.test("what is no range is refused, bits behind those that count too", () => {
  for (
    const text
      of "10.0.0.1/8|10.2.0.0/8|10.0.0.0/33|10.0.0.0/|10.0.0.0/08|10.0.0.0/8/8|::/129|::ffff:10.0.0.0/90|/8|*"
        .split("|")
  ) {
    assert.equal(parseIpRange(text), undefined, text);
  }
});
