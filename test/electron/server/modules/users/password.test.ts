import { describe, expect, it } from 'vitest'
import { Passwords } from '#server/modules/users/password.ts'

const light = new Passwords({ logN: 7, r: 8, p: 1 })

describe('passwords', () => {
  it('are told from others, at the full cost', async () => {
    const passwords = new Passwords()
    const stored = await passwords.hash('correct horse')
    expect(stored).toMatch(/^scrypt\$17\$8\$1\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/)
    expect(await passwords.verify('correct horse', stored)).toBe(true)
    expect(await passwords.verify('correct horsf', stored)).toBe(false)
  })

  it('are salted, and verified at the cost they were hashed with', async () => {
    const [one, two] = [await light.hash('correct horse'), await light.hash('correct horse')]
    expect(one).not.toBe(two)
    expect(await new Passwords({ logN: 8, r: 8, p: 1 }).verify('correct horse', one)).toBe(true)
  })

  it('are the same however the keyboard composes them', async () => {
    expect(
      await light.verify(
        'Gr\u00fc\u00dfe aus K\u00f6ln',
        await light.hash('Gru\u0308\u00dfe aus Ko\u0308ln'),
      ),
    ).toBe(true)
  })

  it('are never those of an account that is not there or has none', async () => {
    for (const stored of [undefined, '', 'plain', 'scrypt$7$8$1', 'md5$7$8$1$AAAA$AAAA'])
      expect(await light.verify('', stored)).toBe(false)
  })

  it('are not worked on without bound: the surplus is told to come again', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, () => light.hash('correct horse')),
    )
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused).toHaveLength(18)
    expect(refused[0]?.reason).toMatchObject({ code: 'too-many', headers: { 'retry-after': '5' } })
    expect(await light.hash('correct horse')).toMatch(/^scrypt/)
  })

  it('of one host are worked on one at a time, and those of another come before the rest of them', async () => {
    const stored = await light.hash('correct horse')
    const ended: string[] = []
    const verify = (host: string) =>
      light.verify('a guess', stored, host).then(() => ended.push(host))
    const flood = Array.from({ length: 20 }, () => verify('10.0.0.66'))
    const results = Promise.allSettled(flood)
    const other = verify('10.0.0.7')
    await other
    expect(ended.filter((host) => host === '10.0.0.66').length).toBeLessThanOrEqual(2)
    const refused = (await results).filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(20 - 1 - 5)
  })
})
