import { beforeEach, describe, expect, it } from 'vitest'
import { readArguments } from '../../../electron/desktop/arguments.ts'
import { handleLinks, pagePathIn, pagePathOf } from '../../../electron/desktop/deep-link.ts'
import * as fake from '../../support/electron.ts'

const STUDY = `stu_${'0123456789abcdef'.repeat(2)}`

beforeEach(() => fake.forgetAll())

describe('a link', () => {
  it.each([
    ['isthmus://today', '/'],
    ['isthmus://today/', '/'],
    ['isthmus://worklist', '/worklist'],
    ['isthmus://reading', '/reading'],
    [`isthmus://study/${STUDY}`, `/studies/${STUDY}`],
    [`isthmus://reading/${STUDY}/`, `/reading/${STUDY}`],
  ])('%s leads to a place', (link, place) => {
    expect(pagePathOf(link)).toBe(place)
  })

  it.each([
    'isthmus:',
    'isthmus://',
    'isthmus://settings',
    'isthmus://today/../audit',
    'isthmus://today?x=1',
    'isthmus://today#/audit',
    'isthmus://study/',
    'isthmus://study/stu_1',
    `isthmus://study/${STUDY}/sign`,
    `isthmus://study/${STUDY}\n`,
    `isthmus://study/${STUDY.toUpperCase()}`,
    `isthmus://study/${STUDY}?token=x`,
    'isthmus://study/%2e%2e%2faudit',
    `ISTHMUS://study/${STUDY}`,
    `https://evil.test/isthmus://study/${STUDY}`,
    'javascript:alert(1)',
  ])('%j leads nowhere', (link) => {
    expect(pagePathOf(link)).toBeUndefined()
  })

  it('is found among the arguments of a start', () => {
    expect(pagePathIn(['isthmus', '--flag', `isthmus://study/${STUDY}`])).toBe(`/studies/${STUDY}`)
    expect(pagePathIn(['isthmus', 'isthmus://quit', 'isthmus://today'])).toBeUndefined()
    expect(pagePathIn(['isthmus'])).toBeUndefined()
  })

  it('is taken from macOS, and the scheme is registered by a packaged app alone', () => {
    const taken: string[] = []
    handleLinks((place) => taken.push(place))
    for (const url of ['isthmus://reading', 'isthmus://nowhere'])
      fake.app.fire('open-url', fake.event(), url)
    expect(taken).toEqual(['/reading'])
    expect(fake.app.protocols).toEqual([])
    fake.app.isPackaged = true
    handleLinks(() => undefined)
    expect(fake.app.protocols).toEqual(['isthmus'])
  })
})

describe('the arguments', () => {
  const NONE = { isFolderGiven: false, isHidden: false, pagePath: undefined, serve: [] }

  it('are --data for the app, and the rest for serve', () => {
    const named = { ...NONE, folder: '/d', isFolderGiven: true }
    expect(readArguments(['--data', '/d', '--http', '127.0.0.1:0'], '/user')).toEqual({
      ...named,
      serve: ['--http', '127.0.0.1:0'],
    })
    expect(readArguments(['--data=/d', '--dimse', '127.0.0.1:0'], '/user')).toEqual({
      ...named,
      serve: ['--dimse', '127.0.0.1:0'],
    })
    expect(readArguments([], '/user')).toEqual({ ...NONE, folder: '/user' })
  })

  it('leave the window closed with --hidden', () => {
    expect(readArguments(['--hidden', '--no-sandbox', '.'], '/user')).toEqual({
      ...NONE,
      folder: '/user',
      isHidden: true,
    })
  })

  it('end at a link: what stands behind it came with it', () => {
    expect(
      readArguments(
        [
          '--http',
          '127.0.0.1:0',
          'isthmus://today',
          '--data',
          '/evil',
          '--partner-url',
          'https://evil.test',
        ],
        '/user',
      ),
    ).toEqual({
      ...NONE,
      folder: '/user',
      pagePath: '/',
      serve: ['--http', '127.0.0.1:0'],
    })
    expect(readArguments(['isthmus://x" --data=/evil', '--data=/evil'], '/user')).toEqual({
      ...NONE,
      folder: '/user',
    })
  })
})
