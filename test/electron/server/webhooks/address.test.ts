import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import {
  admitFileUrl,
  admitUrl,
  coalescedResolve,
  ownListeners,
  pinnedLookup,
  type Resolve,
  systemResolve,
  type UrlKind,
} from '#server/webhooks/address.ts'

const LISTED = [
  'ris.clinic.example:8080',
  '192.168.7.20:443',
  '127.0.0.1:9000',
  '[::1]:9000',
  '10.0.0.5:80',
  '8.8.8.8:80',
  '169.254.169.254:80',
]
const FORBIDDEN = expect.objectContaining({ fault: 'forbidden-address' })

/** Addresses that must not be called although they look like something else. */
const HOSTILE = [
  ...[
    'http://127.0.0.1/',
    'http://127.0.0.1:9001/',
    'https://127.0.0.1/',
    'https://127.0.0.1:9001/',
    'http://localhost:9000/',
  ],
  ...[
    'http://127.1:9001/',
    'http://127.0.1/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://017700000001/',
  ],
  ...[
    'http://0177.0.0.1/',
    'http://0/',
    'http://0.0.0.0:9000/',
    'https://0.0.0.0/',
    'http://[::]:9000/',
    'https://[::]/',
    'https://[::1]/',
  ],
  ...[
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:127.0.0.1]:9001/',
    'https://[::ffff:127.0.0.1]/',
  ],
  ...[
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[::ffff:0:127.0.0.1]/',
  ],
  ...[
    'https://10.0.0.1/',
    'https://10.255.255.255/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.0.1/',
  ],
  ...[
    'https://192.168.7.20:8443/',
    'https://192.168.7.21/',
    'http://192.168.7.20:80/',
    'https://[fd12::1]/',
    'https://[fc00::1]/',
  ],
  ...[
    'https://[fe80::1]/',
    'https://169.254.1.1/',
    'https://100.64.0.1/',
    'https://[::ffff:c0a8:1]/',
    'https://[2002:c0a8:1::]/',
  ],
  ...[
    'http://169.254.169.254/',
    'http://169.254.169.254:80/latest/meta-data/',
    'https://169.254.169.254/',
    'http://2852039166/',
  ],
  ...[
    'http://0xa9fea9fe/',
    'http://[::ffff:169.254.169.254]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[fd00:ec2::254]/',
    'https://169.254.170.2/',
  ],
  ...[
    'https://168.63.129.16/',
    'https://100.100.100.200/',
    'http://metadata.google.internal/',
    'https://metadata.google.internal./',
  ],
  ...[
    'https://METADATA/',
    'https://instance-data/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://240.0.0.1/',
    'https://[ff02::1]/',
  ],
  ...[
    'https://[2001:db8::1]/',
    'https://192.0.2.1/',
    'https://198.51.100.7/',
    'https://203.0.113.9/',
    'https://[2001:0:7f00:1::]/',
  ],
  ...[
    'http://partner.example/',
    'http://ris.clinic.example/',
    'http://ris.clinic.example:8081/',
    'http://ris.clinic.example.evil.example:8080/',
  ],
  ...[
    'http://8.8.8.8/',
    'https://good.example@evil.example/',
    'https://user:pass@partner.example/',
    'https://:pass@partner.example/',
  ],
  ...[
    'http://ris.clinic.example:8080@127.0.0.1/',
    'http://127.0.0.1:9000@evil.example/',
    'http://１２７.0.0.1/',
    'http://①②⑦.⓪.⓪.①/',
  ],
  ...[
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
    'http:127.0.0.1',
    'http:\\\\127.0.0.1\\',
    'https:///127.0.0.1/',
    'https:10.0.0.1',
  ],
  ...[
    'file:///etc/passwd',
    'ftp://partner.example/',
    'gopher://127.0.0.1:6379/',
    'data:text/plain,x',
    'javascript:0',
    'unix:/run/x.sock',
  ],
  ...[
    'ws://partner.example/',
    '//partner.example/',
    'partner.example',
    '',
    'https://',
    'https://partner.example:99999/',
    'https://[::1/',
    'https://a b/',
  ],
]

describe('admitUrl', () => {
  it('has more than 60 hostile addresses to refuse', () => {
    expect(new Set(HOSTILE).size).toBe(HOSTILE.length)
    expect(HOSTILE.length).toBeGreaterThan(60)
  })

  it.each(HOSTILE)('refuses %s', (url) => {
    expect(() => admitUrl(url, LISTED)).toThrow(FORBIDDEN)
  })

  it.each([
    ['https://partner.example/webhooks', 'https'],
    ['https://partner.example:8443/webhooks?a=1', 'https'],
    ['https://8.8.4.4/', 'https'],
    ['https://[2606:4700::1111]/', 'https'],
    ['https://192.168.7.20/', 'https-listed'],
    ['https://192.168.7.20:443/', 'https-listed'],
    ['http://ris.clinic.example:8080/', 'http-listed'],
    ['http://RIS.clinic.example.:8080/', 'http-listed'],
    ['http://127.0.0.1:9000/', 'http-listed'],
    ['http://127.1:9000/', 'http-listed'],
    ['http://[::1]:9000/', 'http-listed'],
    ['http://10.0.0.5/', 'http-listed'],
  ])('admits %s by the rule %s', (url, route) => {
    expect(admitUrl(url, LISTED).route).toBe(route)
  })

  it('admits a loopback address only once it is listed', () => {
    expect(() => admitUrl('http://127.0.0.1:9000/', [])).toThrow(FORBIDDEN)
    expect(admitUrl('http://127.0.0.1:9000/', ['127.0.0.1:9000']).route).toBe('http-listed')
  })

  it('takes an entry without a port, or one that is no address, for no host', () => {
    const listed = ['partner.example', 'a b:80', '192.168.7.22']
    expect(admitUrl('https://partner.example/', listed).route).toBe('https')
    expect(() => admitUrl('http://partner.example/', listed)).toThrow(FORBIDDEN)
    expect(() => admitUrl('https://192.168.7.22/', listed)).toThrow(FORBIDDEN)
  })

  it('says why in words', () => {
    const why = (url: string) => {
      try {
        return admitUrl(url, LISTED)
      } catch (error) {
        return (error as { readonly detail: string }).detail
      }
    }
    expect(why('https://192.168.0.1/')).toEqual(
      'it is a private address, and its host and port are not in the list',
    )
    expect(why('http://169.254.169.254/')).toEqual(
      'it is a cloud metadata address, which the gateway never calls',
    )
    expect(why('http://8.8.8.8/')).toEqual(
      'http is allowed only inside the clinic, and this is an address on the internet',
    )
    expect(why('http://partner.example/')).toEqual(
      'http is allowed only for the hosts that are listed for it, and partner.example:80 is not one of them',
    )
    expect(why('partner.example')).toEqual('the partner’s address is not a URL')
    expect(why('ftp://partner.example/')).toEqual('the address must begin with https://')
    expect(why('https://user@partner.example/')).toEqual(
      'the address must not contain a user name or password',
    )
    expect(why('https://metadata/')).toEqual('the address is that of a cloud metadata service')
  })
})

describe('admitFileUrl', () => {
  const HOSTS = [
    's3.eu-central-1.amazonaws.com',
    'files.clinic.example:8443',
    '192.168.7.30',
    '[fd12::7]',
    '127.0.0.1:9000',
    'plain.clinic.example:8080',
  ]
  const PLAIN = ['127.0.0.1:9000', 'plain.clinic.example:8080', '10.0.0.5:80']
  /**
   * Nothing of the internet, of the clinic or of this PC comes from elsewhere than the list says.
   */
  const NOT_LISTED = [
    ...[
      'https://evil.example/x',
      'https://amazonaws.com/x',
      'https://s3.eu-central-1.amazonaws.com.evil.example/x',
      'https://8.8.8.8/x',
    ],
    ...[
      'https://xs3.eu-central-1.amazonaws.com/',
      'https://s3.eu-central-1.amazonaws.com:8443/',
      'https://files.clinic.example/',
    ],
    ...[
      'https://files.clinic.example:443/',
      'https://s3.eu-central-1.amazonaws.com@evil.example/',
      'https://192.168.7.30:8443/',
    ],
    ...[
      'https://192.168.7.31/',
      'https://[fd12::8]/',
      'https://127.0.0.1/',
      'https://10.0.0.5/',
      'http://10.0.0.5/',
      'https://localhost:9000/',
    ],
    ...[
      'http://s3.eu-central-1.amazonaws.com/x',
      'http://files.clinic.example:8443/',
      'http://192.168.7.30/',
      'http://192.168.7.30:443/',
    ],
    ...[
      'http://plain.clinic.example/',
      'https://plain.clinic.example/',
      'https://169.254.169.254/',
      'http://169.254.169.254/latest',
    ],
  ]

  it.each([
    ...new Set([...HOSTILE.filter((url) => url !== 'https://192.168.7.30/'), ...NOT_LISTED]),
  ])('refuses %s', (url) => {
    expect(() => admitFileUrl(url, HOSTS, PLAIN)).toThrow(FORBIDDEN)
  })

  it('has more than 60 addresses to refuse', () => {
    expect(HOSTILE.length + NOT_LISTED.length).toBeGreaterThan(60)
  })

  it.each([
    ['https://s3.eu-central-1.amazonaws.com/bucket/a.dcm?X-Amz-Signature=1', 'https-listed'],
    ['https://S3.EU-central-1.amazonaws.com./x', 'https-listed'],
    ['https://files.clinic.example:8443/x', 'https-listed'],
    ['https://192.168.7.30/x', 'https-listed'],
    ['https://[fd12::7]/x', 'https-listed'],
    ['http://127.0.0.1:9000/x', 'http-listed'],
    ['http://plain.clinic.example:8080/x', 'http-listed'],
  ])('admits %s by the rule %s', (url, route) => {
    expect(admitFileUrl(url, HOSTS, PLAIN).route).toBe(route)
  })

  it.each([
    '',
    '*',
    '*.amazonaws.com',
    'evil.example/x',
    'user@evil.example',
    'evil.example?x',
    'https://evil.example',
  ])('takes an entry %j of the list for no host', (entry) => {
    expect(() => admitFileUrl('https://evil.example/x', [entry], [])).toThrow(FORBIDDEN)
  })

  it('says why in words', () => {
    const because = (detail: string) => expect.objectContaining({ detail })
    expect(() => admitFileUrl('https://evil.example/x', HOSTS, PLAIN)).toThrow(
      because('evil.example:443 is not in the list of hosts that files may be downloaded from'),
    )
    expect(() => admitFileUrl('http://files.clinic.example:8443/', HOSTS, PLAIN)).toThrow(
      because(
        'http is allowed only for the hosts that are listed for it, and files.clinic.example:8443 is not one of them',
      ),
    )
  })

  it('refuses everything while the list is empty', () => {
    expect(() => admitFileUrl('https://s3.eu-central-1.amazonaws.com/x', [], [])).toThrow(FORBIDDEN)
  })
})

describe('one of our own listeners', () => {
  const isOwn = ownListeners(
    () => [8042, 443],
    () => ['192.168.1.20', 'fe80::1ff:fe23:4567:890a%eth0', 'fd00::20', '10.1.1.1'],
  )

  it.each([
    ['127.0.0.1', 8042],
    ['127.9.9.9', 443],
    ['::1', 8042],
    ['::ffff:127.0.0.1', 8042],
    ['192.168.1.20', 8042],
    ['::ffff:192.168.1.20', 8042],
    ['64:ff9b::c0a8:114', 443],
    ['2002:c0a8:114::', 443],
    ['fd00::20', 8042],
    ['FD00:0:0:0:0:0:0:20', 8042],
    ['fe80::1ff:fe23:4567:890a', 8042],
  ])('is %s at %i', (address, port) => {
    expect(isOwn(address, port)).toBe(true)
  })

  it.each([
    ['127.0.0.1', 8043],
    ['192.168.1.20', 80],
    ['192.168.1.21', 8042],
    ['8.8.8.8', 443],
    ['fd00::21', 8042],
    ['no address', 443],
  ])('is not %s at %i', (address, port) => {
    expect(isOwn(address, port)).toBe(false)
  })

  it('is every address that this computer has, where none are given', () => {
    const here = ownListeners(() => [8042])
    const own = Object.values(networkInterfaces()).flatMap((entries) =>
      (entries ?? []).map(({ address }) => address),
    )
    expect(own.length).toBeGreaterThan(0)
    for (const address of own)
      expect([address, here(address, 8042), here(address, 8043)]).toEqual([address, true, false])
    expect(here('8.8.8.8', 8042)).toBe(false)
  })

  it('says why it is refused', () => {
    expect(() => admitUrl('http://127.0.0.1:8042/', ['127.0.0.1:8042'], isOwn)).toThrow(
      expect.objectContaining({
        detail: 'it is a listener of this gateway, which the gateway never calls',
      }),
    )
  })

  it('is refused though it is listed, by address and by name', async () => {
    const listed = ['127.0.0.1:8042', '192.168.1.20:443', 'gateway.clinic.example:8042']
    for (const url of [
      'http://127.0.0.1:8042/',
      'https://192.168.1.20/',
      'http://[::ffff:127.0.0.1]:8042/',
    ])
      expect(() => admitUrl(url, [...listed, '[::ffff:7f00:1]:8042'], isOwn)).toThrow(FORBIDDEN)
    expect(() => admitFileUrl('https://192.168.1.20/x', ['192.168.1.20'], [], isOwn)).toThrow(
      FORBIDDEN,
    )
    // By name: at the connection.
    expect(admitUrl('http://gateway.clinic.example:8042/', listed, isOwn).route).toBe('http-listed')
    const lookup = (port: number) =>
      new Promise((done) =>
        pinnedLookup('http-listed', async () => [{ address: '192.168.1.20', family: 4 }], {
          port,
          isOwn,
        })('x', { all: true }, (error, found) => done(error ?? found)),
      )
    expect(await lookup(8042)).toEqual(FORBIDDEN)
    expect(await lookup(80)).toEqual([{ address: '192.168.1.20', family: 4 }])
  })
})

describe('pinnedLookup', () => {
  const lookup = (route: UrlKind, addresses: readonly string[], all = true) => {
    const resolve: Resolve = async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    return new Promise((done, fail) => {
      pinnedLookup(route, resolve)('ris.example', { all }, (error, address, family) =>
        error ? fail(error) : done(all ? address : [address, family]),
      )
    })
  }

  it('hands on exactly the addresses that it judged', async () => {
    expect(await lookup('https', ['8.8.8.8', '2606:4700::1111'])).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ])
    expect(await lookup('https', ['8.8.8.8'], false)).toEqual(['8.8.8.8', 4])
  })

  it.each([
    ['https', ['8.8.8.8', '127.0.0.1']],
    ['https', ['8.8.8.8', 'fd00::1']],
    ['https', ['192.168.1.1']],
    ['https', ['::ffff:10.0.0.1']],
    ['https-listed', ['192.168.1.1', '169.254.169.254']],
    ['https-listed', ['0.0.0.0']],
    ['http-listed', ['8.8.8.8']],
    ['http-listed', ['192.168.1.1', '8.8.8.8']],
  ] as const)(
    'refuses a name by the rule %s when any of its addresses is not admitted: %j',
    async (route, addresses) => {
      await expect(lookup(route, addresses)).rejects.toThrow(FORBIDDEN)
    },
  )

  it('judges anew each time the name is resolved', async () => {
    const answers = ['8.8.8.8', '127.0.0.1']
    const flipping = pinnedLookup('https', async () => [
      { address: answers.shift() ?? '', family: 4 },
    ])
    const ask = () =>
      new Promise((done) =>
        flipping('flips.example', { all: true }, (error, address) => done(error ?? address)),
      )
    expect(await ask()).toEqual([{ address: '8.8.8.8', family: 4 }])
    expect(await ask()).toEqual(FORBIDDEN)
  })

  it('knows no host without an address, and passes on what the resolver says', async () => {
    await expect(lookup('https', [])).rejects.toThrow(
      expect.objectContaining({ code: 'ENOTFOUND' }),
    )
    const failing = pinnedLookup('https', () =>
      Promise.reject(Object.assign(new Error('x'), { code: 'EAI_AGAIN' })),
    )
    const error = await new Promise((done) => failing('x.example', { all: true }, done))
    expect(error).toMatchObject({ code: 'EAI_AGAIN' })
  })
})

it('the resolver of the operating system gives every address of a name', async () => {
  const found = await systemResolve('localhost')
  expect(found.length).toBeGreaterThan(0)
  for (const { address, family } of found) expect([address.includes(':') ? 6 : 4]).toContain(family)
})

describe('coalescedResolve', () => {
  it('asks for a name once while it is being asked for, and again afterwards', async () => {
    const answers: ((address: string) => void)[] = []
    const resolve = coalescedResolve(
      (hostname) =>
        new Promise((done) =>
          answers.push((address) => done([{ address: `${address}${hostname.length}`, family: 4 }])),
        ),
    )
    const both = [resolve('ris.example'), resolve('ris.example'), resolve('x.example')]
    expect(answers).toHaveLength(2)
    answers[0]?.('10.0.0.')
    answers[1]?.('10.0.1.')
    const read = (await Promise.all(both)).map(([first]) => first?.address)
    expect(read).toEqual(['10.0.0.11', '10.0.0.11', '10.0.1.9'])
    const again = resolve('ris.example')
    expect(answers).toHaveLength(3)
    answers[2]?.('10.0.2.')
    expect((await again)[0]?.address).toBe('10.0.2.11')
  })

  it('asks again after a failure', async () => {
    let asked = 0
    const resolve = coalescedResolve(() => {
      asked += 1
      return Promise.reject(new Error('no answer'))
    })
    await expect(resolve('ris.example')).rejects.toThrow('no answer')
    await expect(resolve('ris.example')).rejects.toThrow('no answer')
    expect(asked).toBe(2)
  })
})
