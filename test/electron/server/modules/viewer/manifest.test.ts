import { describe, expect, it } from 'vitest'
import { contentOf, manifestMatch } from '#server/modules/viewer/manifest.ts'
import { identitiesOf, matchNewUrls } from '#server/modules/viewer/partner-answer.ts'
import { manifestOf, uidOf } from './viewing-fixture.ts'

const unknown = () => false

describe('the URL of an instance', () => {
  it.each([
    ['a file name', (uid: string) => `https://h/s/${uid}.dcm?X=1`],
    ['a part of the path', (uid: string) => `https://h/studies/2.25.100/instances/${uid}/file`],
    ['a value of the query', (uid: string) => `https://h/wado?requestType=WADO&objectUID=${uid}`],
    ['an encoded name', (uid: string) => `https://h/a%2Fb/${uid.replaceAll('.', '%2E')}`],
  ])('has its UID as %s', (_where, urlOf) => {
    const match = manifestMatch(
      [3, 1, 2].map((number) => urlOf(uidOf(number))),
      [manifestOf([1, 2, 3])],
      unknown,
    )
    expect([1, 2, 3].map((number) => match.urlOf(uidOf(number)))).toEqual([1, 2, 0])
    expect(match.namedBy(0)).toBe(uidOf(3))
  })

  it('is not one whose path has more than the UID', () => {
    const match = manifestMatch(
      [`https://h/${uidOf(11)}`, 'https://h/x'],
      [manifestOf([1])],
      unknown,
    )
    expect(match.urlOf(uidOf(1))).toBeUndefined()
  })

  it('is the one at its place where no UID is in the URLs and there are as many', () => {
    const match = manifestMatch(['https://h/a', 'https://h/b'], [manifestOf([1, 2])], unknown)
    expect([match.urlOf(uidOf(2)), match.namedBy(1)]).toEqual([1, undefined])
    expect(
      manifestMatch(['https://h/a'], [manifestOf([1, 2])], unknown).urlOf(uidOf(1)),
    ).toBeUndefined()
  })

  it('may name what the archive knows, without any manifest', () => {
    expect(manifestMatch([`https://h/${uidOf(4)}`], [], (uid) => uid === uidOf(4)).namedBy(0)).toBe(
      uidOf(4),
    )
  })
})

describe('a URL with a new signature', () => {
  it('is known by its origin and path', () => {
    const identities = identitiesOf(['https://h/a?s=1', 'https://h/b?s=1'])
    expect(matchNewUrls(identities, ['https://h/b?s=2', 'https://h/a?s=2'])).toEqual([
      'https://h/a?s=2',
      'https://h/b?s=2',
    ])
  })

  it('is known by its place where its query is what tells it apart, or its path is another', () => {
    const identities = identitiesOf(['https://h/wado?id=1&s=1', 'https://h/wado?id=2&s=1'])
    expect(new Set(identities).size).toBe(2)
    expect(
      matchNewUrls(identities, ['https://h/wado?id=1&s=2', 'https://h/wado?id=2&s=2'])[1],
    ).toBe('https://h/wado?id=2&s=2')
    expect(matchNewUrls(identities, ['https://h/wado?id=1&s=2'])).toEqual([undefined, undefined])
  })
})

describe('what a manifest lists', () => {
  it('is images with geometry; numbers that are none are left to the file', () => {
    const manifest = manifestOf([1, 2])
    const [series] = manifest.series
    const [first, second] = series?.sops ?? []
    if (!series || !first || !second) throw new Error('no series')
    const odd = {
      ...first,
      instanceNumber: 1.5,
      numberOfFrames: 1e9,
      bitsStored: 99,
      rescaleSlope: 2,
    }
    const report = { sopClassUID: '1.2.840.10008.5.1.4.1.1.88.11', sopInstanceUID: uidOf(9) }
    const content = contentOf({
      ...manifest,
      series: [{ ...series, seriesNumber: '', sops: [odd, second, report] }],
    })
    expect(content.series[0]?.seriesNumber).toBeNull()
    expect(content.instances.map(({ sopInstanceUid }) => sopInstanceUid)).toEqual([
      uidOf(1),
      uidOf(2),
    ])
    expect(content.instances[0]).toMatchObject({
      instanceNumber: 0,
      frames: 100_000,
      image: { bitsStored: 16, highBit: 15 },
    })
    expect(content.instances[0]?.attributes).toMatchObject({ slope: 2, intercept: null })
  })
})
