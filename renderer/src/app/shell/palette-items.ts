import { t } from '../../i18n/t.ts'
import type { ShortcutGroup } from '../../ui/shortcuts.ts'
import { SCREENS, SUBSCREEN_PATHS, type SubscreenPath } from './screens.ts'

export type PaletteGroup =
  | 'recent'
  | 'links'
  | 'actions'
  | 'screens'
  | 'studies'
  | 'people'
  | 'devices'

/** Something that can be chosen. It goes to an address, or runs. */
export interface PaletteItem {
  readonly id: string
  readonly group: PaletteGroup
  readonly name: string
  readonly about: string
  readonly keys?: string
  readonly href?: string
  readonly run?: () => void
}

/** Letters as they are searched for: without case and accents. */
const folded = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/**
 * Whether every word that was typed begins a word of the text, or is contained in it where it is
 * long enough to be meant.
 */
export function matchesQuery(text: string, query: string): boolean {
  const words = folded(text)
  return folded(query)
    .split(/\s+/)
    .filter(Boolean)
    .every(
      (part) =>
        words.startsWith(part) ||
        words.includes(` ${part}`) ||
        (part.length > 2 && words.includes(part)),
    )
}

const screenItems: readonly PaletteItem[] = SCREENS.map(({ to, name, group, key }) => ({
  id: `screen ${to}`,
  group: 'screens',
  name,
  about: t(`ui.shell.groups.${group}`),
  href: to,
  ...(key !== undefined && { keys: `g ${key}` }),
}))
const subscreenItems: readonly PaletteItem[] = SUBSCREEN_PATHS.map((to: SubscreenPath) => ({
  id: `place ${to}`,
  group: 'screens',
  name: t(`ui.shell.places.${to}`),
  about: SCREENS.find((screen) => screen.to !== '/' && to.startsWith(screen.to))?.name ?? '',
  href: to,
}))

/** Screens, and with something typed the lists within them. */
export const screensFor = (query: string): readonly PaletteItem[] =>
  (query === '' ? screenItems : [...screenItems, ...subscreenItems]).filter(({ name, about }) =>
    matchesQuery(`${name} ${about}`, query),
  )

/** What the present screen can do, without going to other screens or from row to row. */
export const actionsFor = (
  query: string,
  groups: readonly ShortcutGroup[],
): readonly PaletteItem[] =>
  groups
    .filter(({ group }) => group !== t('ui.shell.sheet.goTo'))
    .flatMap(({ group, shortcuts }) =>
      shortcuts
        .filter(
          ({ name, keys, repeats }, at) =>
            keys !== 'mod+k' &&
            !repeats &&
            shortcuts.findIndex((one) => one.name === name) === at &&
            matchesQuery(`${name} ${group}`, query),
        )
        .flatMap(({ keys, name, run }): PaletteItem[] =>
          run
            ? [{ id: `action ${group} ${keys}`, group: 'actions', name, about: group, keys, run }]
            : [],
        ),
    )

const ID_LINK_RULES: readonly {
  readonly form: RegExp
  readonly href: (id: string) => string
  readonly name: (id: string) => string
}[] = [
  {
    form: /^stu_[0-9a-f]{32}$/,
    href: (id) => `/studies/${id}`,
    name: (id) => t('ui.shell.palette.study', { id }),
  },
  {
    form: /^cus_[0-9a-f]{32}$/,
    href: (id) => `/customers/${id}`,
    name: (id) => t('ui.shell.palette.customer', { id }),
  },
  {
    form: /^whe_[0-9a-f]{32}$/,
    href: (id) => `/events/${id}`,
    name: (id) => t('ui.shell.palette.event', { id }),
  },
]

/** An id or an address of this window that was typed or pasted. */
export function linksFor(query: string, origin: string): readonly PaletteItem[] {
  const text = query.trim()
  for (const { form, href, name } of ID_LINK_RULES) {
    if (form.test(text))
      return [{ id: `link ${text}`, group: 'links', name: name(text), about: '', href: href(text) }]
  }
  const hash = /^(https?:\/\/[^/]+)\/#(\/[^\s]*)$/.exec(text)
  if (hash?.[1] !== origin || hash[2] === undefined) return []
  return [
    {
      id: `link ${text}`,
      group: 'links',
      name: t('ui.shell.palette.address'),
      about: hash[2],
      href: hash[2],
    },
  ]
}
