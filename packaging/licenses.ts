import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesIn } from './app-folder.ts'
import { ASSETS } from './assets.ts'
import { PACKAGES, root } from './contents.ts'

/** Of others, in our programs. */
export interface Licensed {
  readonly name: string
  readonly version: string
  readonly license: string
  /** Its own file; empty where it brings none. */
  readonly text: string
}

/**
 * Folders of the packages whose code is in the bundles, as their source maps have it, whose fonts
 * and codecs are, and of those beside them.
 */
export function packageFoldersOf(dist: string): Set<string> {
  const folders = new Set(Object.keys(PACKAGES).map((name) => join(root, 'node_modules', name)))
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.map')) continue
    const map = JSON.parse(readFileSync(join(entry.parentPath, entry.name), 'utf8')) as {
      readonly sources?: readonly (string | null)[]
    }
    for (const source of map.sources ?? []) {
      const folder = source === null ? undefined : packageOf(source)
      if (folder) folders.add(folder)
    }
  }
  for (const file of filesIn(dist)) {
    const [, name] = ASSETS.find(([form]) => form.test(file)) ?? []
    if (name) folders.add(join(root, 'node_modules', name))
  }
  return folders
}

/**
 * The packages whose code is in the bundles, and those beside them, each with its licence; by name.
 */
export function licensesOf(dist: string): Licensed[] {
  const found = [...packageFoldersOf(dist)].flatMap(read)
  const byName = new Map(found.map((one) => [`${one.name} ${one.version}`, one]))
  return [...byName.values()].sort(
    (a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version),
  )
}

/** The list as it lies beside a program. */
export function licenseList(licensed: readonly Licensed[]): string {
  const names = licensed.map(({ name, version, license }) => `  ${name} ${version}: ${license}`)
  const texts = licensed.map(
    ({ name, version, license, text }) =>
      `${'='.repeat(80)}\n${name} ${version} (${license})\n\n${text}`,
  )
  return `Isthmus holds code of these packages, each under its own licence.\n\n${names.join('\n')}\n\n${texts.join('\n')}\n`
}

/**
 * `…/node_modules/@scope/name/lib/x.js` → its folder; undefined outside of packages. The maps of
 * workers go one folder up too few, so what stands before is not asked.
 */
function packageOf(source: string): string | undefined {
  const inside = /(?:^|[\\/])(node_modules[\\/].*)$/.exec(source)?.[1] ?? ''
  const folder = /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(inside)?.[0]
  return folder && join(root, folder)
}

function read(folder: string): Licensed[] {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return []
  const { name, version, license } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly name?: string
    readonly version?: string
    readonly license?: string | { readonly type?: string }
  }
  if (!name || !version) return []
  const texts = readdirSync(folder).filter(
    (one) => /^(licen[cs]e|copying|notice)/i.test(one) && !/\.[cm]?[jt]s$/.test(one),
  )
  return [
    {
      name,
      version,
      license: (typeof license === 'object' ? license.type : license) ?? 'see its text',
      text: texts
        .map((one) => readFileSync(join(folder, one), 'utf8').trim())
        .join('\n\n')
        .concat('\n'),
    },
  ]
}
