import { describe, expect, it } from 'vitest'
import {
  actionsFor,
  linksFor,
  matchesQuery,
  screensFor,
} from '../../../../renderer/src/app/shell/palette-items.ts'
import {
  clearRecent,
  recentChoices,
  rememberChoice,
} from '../../../../renderer/src/app/shell/recent.ts'
import { isForManagers, screenAt } from '../../../../renderer/src/app/shell/screens.ts'
import type { ShortcutGroup } from '../../../../renderer/src/ui/shortcuts.ts'

const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name)
const origin = 'http://127.0.0.1:8042'
const id = '0123456789abcdef0123456789abcdef'

describe('the palette', () => {
  it('finds words by how they begin, without case and accents, and longer parts anywhere', () => {
    expect(matchesQuery('Imágenes apartadas', 'imagenes ap')).toBe(true)
    expect(matchesQuery('Worklist', 'list')).toBe(true)
    expect(matchesQuery('Worklist', 'ist')).toBe(true)
    expect(matchesQuery('Worklist', 'st')).toBe(false)
    expect(matchesQuery('Worklist', '')).toBe(true)
  })

  it('offers the screens at once, and the lists within them when something is typed', () => {
    expect(names(screensFor(''))).toContain('Studies')
    expect(names(screensFor(''))).not.toContain('Critical results')
    expect(names(screensFor('crit'))).toEqual(['Critical results'])
    expect(names(screensFor('audit'))).toEqual(['Audit'])
  })

  it('offers what the present screen can do, and not the ways to other screens a second time', () => {
    const run = () => undefined
    const groups: readonly ShortcutGroup[] = [
      {
        group: 'Studies',
        shortcuts: [
          { keys: 'a', name: 'Assign to me', run },
          // A second key for the same, a step from row to row, and a key that an editor hears.
          { keys: 'alt+a', name: 'Assign to me', run },
          { keys: 'j', name: 'Next row', run, repeats: true },
          { keys: 'f2', name: 'Next field' },
        ],
      },
      { group: 'On any screen', shortcuts: [{ keys: 'mod+k', name: 'Search or go to', run }] },
      { group: 'Go to', shortcuts: [{ keys: 'g s', name: 'Studies', run }] },
    ]
    expect(names(actionsFor('', groups))).toEqual(['Assign to me'])
    expect(names(actionsFor('assign', groups))).toEqual(['Assign to me'])
    expect(actionsFor('sign out', groups)).toEqual([])
  })

  it.each([
    [`stu_${id}`, `/studies/${id && `stu_${id}`}`],
    [` cus_${id} `, `/customers/cus_${id}`],
    [`whe_${id}`, `/events/whe_${id}`],
    [`${origin}/#/studies?area=viewer`, '/studies?area=viewer'],
  ])('leads from %j to %s', (typed, href) => {
    expect(linksFor(typed, origin)[0]?.href).toBe(href)
  })

  it.each([
    'stu_12',
    'https://elsewhere.example/#/studies',
    'javascript:alert(1)',
    `usr_${id}`,
    '',
  ])('leads nowhere from %j', (typed) => {
    expect(linksFor(typed, origin)).toEqual([])
  })

  it('keeps the last five choices, the newest first, until somebody else signs in', () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'b'])
      rememberChoice({ href: `/${name}`, name, about: '' })
    expect(names(recentChoices())).toEqual(['b', 'f', 'e', 'd', 'c'])
    clearRecent()
    expect(recentChoices()).toEqual([])
  })
})

describe('an address', () => {
  it('is for managers with everything below it', () => {
    expect(['/people', '/events/whe_1', '/settings/access', '/audit'].map(isForManagers)).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(
      ['/', '/studies', '/peoples', '/account', '/reading/criticals'].map(isForManagers),
    ).toEqual([false, false, false, false, false])
  })

  it('belongs to a screen', () => {
    expect(screenAt('/images/quarantine')?.to).toBe('/images')
    expect(screenAt('/destinations/priors')?.to).toBe('/destinations')
    expect(screenAt('/destinations/priors', '1.2.3')?.to).toBe('/images')
    expect(screenAt('/')?.to).toBe('/')
    expect([screenAt('/audit')?.to, screenAt('/queries/12')?.to]).toEqual([
      '/activity',
      '/activity',
    ])
    expect(screenAt('/account')).toBeUndefined()
  })
})
