// @unit
import { describe, expect, test } from 'vitest'
import { isPublicAddress, networkOf, networksOf } from '../../src/lib/addresses.ts'

describe('public addresses', () => {
  test.each([
    ['10.0.0.0/8', ['9.255.255.255', '11.0.0.0']],
    ['100.64.0.0/10', ['100.63.255.255', '100.128.0.0']],
    ['169.254.0.0/16', ['169.253.255.255', '168.63.129.15']],
    ['172.16.0.0/12', ['172.15.255.255', '172.32.0.0']],
    ['192.168.0.0/16', ['192.167.255.255', '192.169.0.0']],
    ['198.18.0.0/15', ['198.17.255.255', '198.20.0.0']],
    ['127.0.0.0/8 and multicast', ['8.8.8.8', '128.0.0.1', '223.255.255.255']],
    ['special IPv6', ['2606:4700:4700::1111', '2001:4860:4860::8888', '2001:200::1', '64:ff9b::8.8.8.8']],
  ])('are those beside %s', (_, addresses) => {
    expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([])
  })
})

describe('everything else', () => {
  test.each([
    ['this network', '0.1.2.3'],
    ['private', '10.255.255.255'],
    ['carrier', '100.64.0.1'],
    ['loopback', '127.255.255.254'],
    ['metadata', '169.254.169.254'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['protocol assignments', '192.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['AS112', '192.31.196.1'],
    ['AMT', '192.52.193.1'],
    ['6to4 relay', '192.88.99.1'],
    ['private', '192.168.1.1'],
    ['AS112', '192.175.48.1'],
    ['benchmark', '198.19.255.255'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['multicast', '239.255.255.250'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['control address of Azure', '168.63.129.16'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['compatible', '::127.0.0.1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped, even of a public one', '::ffff:8.8.8.8'],
    ['translated', '::ffff:0:127.0.0.1'],
    ['NAT64 of metadata', '64:ff9b::a9fe:a9fe'],
    ['NAT64 of 0.0.0.0', '64:ff9b::'],
    ['NAT64 of 10.0.0.1, in full', '0064:ff9b:0:0:0:0:0a00:0001'],
    ['local NAT64', '64:ff9b:1::8.8.8.8'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['documentation', '2001:db8::1'],
    ['6to4 of loopback', '2002:7f00:1::1'],
    ['6bone', '3ffe::1'],
    ['documentation', '3fff::1'],
    ['not given out', '4000::1'],
    ['unique local', 'fc00::1'],
    ['link-local', 'fe80::1'],
    ['a public one with a zone', '2606:4700:4700::1111%1'],
    ['multicast', 'ff02::1'],
    ['a name', 'localhost'],
    ['nothing', ''],
    ['a shortened one', '127.1'],
    ['with brackets', '[2606:4700:4700::1111]'],
    ['with a blank', ' 8.8.8.8'],
  ])('%s (%s) is not', (_, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

describe('a client', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['::ffff:0.0.1.2', '0.0.1.2'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:0DB8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['203.0.113.7:50123', '203.0.113.7'],
    ['[2001:db8:1:2::6]:443', '2001:db8:1:2::/64'],
    ['64:ff9b::203.0.113.7', '203.0.113.7'],
    ['999.0.113.7:80', 'unknown'],
    ['[203.0.113.7]', 'unknown'],
    ['unix:', 'unknown'],
    ['', 'unknown'],
    ['x'.repeat(10_000), 'unknown'],
  ])('at %s is one with %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  test.each([
    ['203.0.113.7', ['203.0.113.7']],
    ['::ffff:203.0.113.7', ['203.0.113.7']],
    ['2001:db8:1:abcd:3:4:5:6', ['2001:db8:1:abcd::/64', '2001:db8:1:ab00::/56', '2001:db8:1::/48']],
    ['2001:db8:1:cd::6', ['2001:db8:1:cd::/64', '2001:db8:1:0::/56', '2001:db8:1::/48']],
    ['::1', ['0:0:0:0::/64', '0:0:0:0::/56', '0:0:0::/48']],
    ['garbage', ['unknown']],
  ])('at %s is counted under %j', (address, networks) => {
    expect(networksOf(address)).toEqual(networks)
  })

  test('is counted with its neighbours of a /56 and of a /48, and with nobody else', () => {
    const [, home, site] = networksOf('2001:db8:1:ab01::1')
    expect(networksOf('2001:db8:1:abff::1').slice(1)).toEqual([home, site])
    expect(networksOf('2001:db8:1:ac00::1').slice(1)).toEqual(['2001:db8:1:ac00::/56', site])
    expect(networksOf('2001:db8:2:ab01::1')).not.toContain(site)
  })
})
