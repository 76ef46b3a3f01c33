import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

// The module table of docs/ARCHITECTURE.md as data: what may import what (decision 0035).

const root = join(import.meta.dirname, '..')

/** Areas of electron/server, the lowest first. An area imports those before it. */
const SERVER: readonly string[] = [
  ...['platform', 'database', 'live-events', 'audit-log', 'configuration', 'context', 'jobs'],
  ...['dicom', 'webhooks', 'http', 'mail', 'users', 'api-keys', 'customers', 'settings', 'audit'],
  ...['partners', 'studies', 'events', 'devices', 'procedure-steps', 'images', 'forwarding'],
  ...['commitment', 'reports', 'dictation', 'corrections', 'worklist', 'reconciliation'],
  ...['query-retrieve', 'viewer', 'dicomweb', 'lifecycle', 'tiers'],
  ...[
    'study-lists',
    'backups',
    'diagnostics',
    'setup',
    'sandbox',
    'dashboard',
    'control',
    'server',
  ],
]

const NODE = /^node:/
type Package = string | RegExp
/** Packages that the code of an area of the server may import. */
const PACKAGES: Readonly<Record<string, readonly Package[]>> = {
  platform: [NODE, 'ipaddr.js', 'pino'],
  database: [NODE, 'better-sqlite3', 'kysely', 'lru-cache', 'zod'],
  'live-events': [],
  configuration: [NODE, 'zod'],
  'audit-log': [NODE, 'kysely', 'lru-cache', 'zod'],
  setup: [NODE, 'zod'],
  jobs: [NODE],
  dicom: [NODE, /^dcmjs(\/|$)/, '@cornerstonejs/jpeg-lossless-decoder-js'],
  http: [NODE, /^@fastify\//, 'fastify', 'ipaddr.js', 'lru-cache', 'zod'],
  webhooks: [NODE, 'ipaddr.js', 'undici'],
  context: [NODE],
  mail: [NODE, /^nodemailer(\/|$)/],
  audit: [NODE, 'kysely', 'lru-cache', 'zod'],
  settings: [NODE],
  sandbox: [NODE],
  users: [NODE, '@zxcvbn-ts/language-common', 'openid-client', 'otpauth', 'undici', 'zod'],
  'api-keys': [NODE],
  customers: [],
  studies: [NODE, 'kysely', 'zod'],
  partners: [NODE, 'lru-cache'],
  events: [NODE, 'kysely', 'zod'],
  devices: [NODE],
  'procedure-steps': ['kysely'],
  commitment: [NODE],
  images: [NODE, 'kysely', 'lru-cache'],
  corrections: [NODE, 'kysely', 'lru-cache'],
  reconciliation: [NODE],
  worklist: [NODE, 'kysely', 'lru-cache', 'pdfkit', 'zod'],
  forwarding: [NODE, 'lru-cache'],
  reports: [NODE, 'fontkit', 'kysely', 'pdfkit', 'zod'],
  dictation: [NODE, 'zod'],
  'query-retrieve': [NODE],
  viewer: [NODE, 'zod'],
  dicomweb: [NODE, '@fastify/busboy', 'lru-cache'],
  tiers: [NODE, '@aws-sdk/client-s3', '@aws-sdk/lib-storage'],
  lifecycle: [NODE],
  'study-lists': [NODE],
  backups: [NODE, 'better-sqlite3', 'croner', 'zod'],
  diagnostics: [NODE, /^@opentelemetry\//, 'fflate', 'prom-client', 'zod'],
  dashboard: [NODE],
  control: [NODE, 'yaml', 'zod'],
  server: [NODE],
}

interface Part {
  readonly at: RegExp
  /** Other parts of the repository, by the beginning of their paths. */
  readonly imports: readonly string[]
  readonly packages: readonly Package[]
}

/** The parts of the repository beside electron/server. */
const PARTS: Readonly<Record<string, Part>> = {
  shared: { at: /^shared\//, imports: [], packages: ['intl-messageformat', 'zod'] },
  simulator: {
    at: /^electron\/simulator\//,
    imports: ['shared/'],
    packages: [NODE, 'zod', 'standardwebhooks'],
  },
  cli: {
    at: /^electron\/(headless\.ts|cli\/)/,
    imports: ['electron/server/', 'electron/simulator/', 'shared/'],
    packages: [NODE, 'yaml', 'zod'],
  },
  desktop: {
    at: /^electron\/(main\.ts|preload\.ts|desktop\/)/,
    imports: ['electron/server/', 'electron/cli/', 'shared/'],
    packages: [NODE, 'electron', 'electron-updater', 'zod'],
  },
  renderer: {
    at: /^renderer\//,
    imports: ['shared/'],
    packages: [
      ...['zod', 'vite/client', 'react', 'react-dom', 'uqr', 'minisearch', /^react(-dom)?\//],
      ...[
        /^@mantine\//,
        /^@tanstack\//,
        /^@tabler\//,
        /^@fontsource/,
        /^@codemirror\//,
        /^@cornerstonejs\//,
      ],
    ],
  },
}

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && /\.(tsx?|mjs|mts)$/.test(entry.name) && !/\.d\.m?ts$/.test(entry.name),
    )
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))

const files = ['shared', 'electron', 'renderer'].flatMap(sourcesIn)

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s(?:[^'"\n;]|\n(?!import))*?from\s+['"]([^'"]+)['"]|import\s*\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s+['"]([^'"]+)['"]/g,
  )
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}

const ALIASES: Readonly<Record<string, string>> = {
  '#shared/': 'shared/',
  '#server/': 'electron/server/',
  '#electron/': 'electron/',
}

/** The file of the repository that an import names; undefined where it names a package. */
function target(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier)
  const alias = Object.keys(ALIASES).find((prefix) => specifier.startsWith(prefix))
  return alias && specifier.replace(alias, ALIASES[alias] ?? '')
}

const isIn = (packages: readonly Package[], specifier: string) =>
  packages.some((name) => (typeof name === 'string' ? name === specifier : name.test(specifier)))

/**
 * `users` of electron/server/modules/users/people.ts, `context` of context.ts, `server` of the
 * other files of electron/server itself; undefined elsewhere.
 */
function areaOf(path: string): string | undefined {
  const [electron, server, first = '', second = ''] = path.split('/')
  if (electron !== 'electron' || server !== 'server') return undefined
  if (first === 'context.ts') return 'context'
  if (first.endsWith('.ts')) return 'server'
  return first === 'modules' ? second : first
}
const placeOf = (area: string) => SERVER.indexOf(area)

/**
 * Layers of renderer/src, the lowest first. Features, the viewer, the rescue page and the script of
 * the documentation site are one layer.
 */
const WINDOW = ['i18n', 'format', 'api', 'ui', 'feature', 'app'] as const

/** Layer of a file of renderer/src and, within the layer of features, which feature. */
function windowPlace(path: string): { readonly layer: number; readonly feature: string } {
  const [, , first = '', second = ''] = path.split('/')
  const isFeature = ['features', 'viewer', 'rescue', 'help'].includes(first)
  return {
    layer: (WINDOW as readonly string[]).indexOf(isFeature ? 'feature' : first),
    feature: first === 'features' ? second : first,
  }
}

/** What is wrong with an import, other than its direction within the server. */
function fault(file: string, specifier: string): string | undefined {
  const path = target(file, specifier)
  const area = areaOf(file)
  const part = Object.values(PARTS).find(({ at }) => at.test(file))
  if (!area && !part) return `${file} is in no part of the repository`
  if (area && placeOf(area) < 0) return `${file} is in no module of the table`
  if (path === undefined) {
    return isIn(area ? (PACKAGES[area] ?? []) : (part?.packages ?? []), specifier)
      ? undefined
      : `${file} imports the package ${specifier}`
  }
  if (part?.at.test(path) || path.endsWith('.css') || path.endsWith('package.json'))
    return undefined
  // The set-up and the sandbox play the partner and a device for who has neither.
  const simulator = area === 'setup' || area === 'sandbox' ? ['electron/simulator/'] : []
  const allowed = area ? ['electron/server/', 'shared/', ...simulator] : (part?.imports ?? [])
  return allowed.some((prefix) => path.startsWith(prefix)) ? undefined : `${file} imports ${path}`
}

/** The files of each circle of imports: the components of Tarjan's algorithm with two or more. */
function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = []
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  function visit(file: string): number {
    order.set(file, order.size)
    lowest.set(file, order.size - 1)
    open.push(file)
    for (const next of imports.get(file) ?? []) {
      if (!imports.has(next)) continue
      const reached = order.has(next)
        ? open.includes(next)
          ? (order.get(next) ?? 0)
          : Number.POSITIVE_INFINITY
        : visit(next)
      lowest.set(file, Math.min(lowest.get(file) ?? 0, reached))
    }
    const low = lowest.get(file) ?? 0
    if (low === order.get(file)) {
      const circle = open.splice(open.indexOf(file))
      if (circle.length > 1) circles.push(circle.toSorted())
      return Number.POSITIVE_INFINITY
    }
    return low
  }
  for (const file of imports.keys()) if (!order.has(file)) visit(file)
  return circles
}

/** The areas in the rows of the table of docs/ARCHITECTURE.md, in its order. */
function documentedAreas(): string[] {
  const page = readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8')
  const [, table = ''] = /\n\| area \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(page) ?? []
  return table
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)])
    .map(([, area = '']) => area)
}

describe('the module table', () => {
  it('is the one of docs/ARCHITECTURE.md', () => {
    expect(documentedAreas()).toEqual(SERVER)
  })

  it('has a place for every file, and names every package that a place may use', () => {
    const faults = files.flatMap((file) =>
      (importsOf(file).length === 0 ? [fault(file, './')] : []).concat(
        importsOf(file).map((specifier) => fault(file, specifier)),
      ),
    )
    expect([...new Set(faults)].filter((one) => one !== undefined && !one.endsWith('/'))).toEqual(
      [],
    )
  })

  it('goes one way: no area imports one after it', () => {
    const upwards = files.flatMap((file) => {
      const from = areaOf(file)
      if (from === undefined) return []
      return importsOf(file).flatMap((specifier) => {
        const to = areaOf(target(file, specifier) ?? '')
        return to !== undefined && placeOf(to) > placeOf(from)
          ? [`${file} imports ${specifier}`]
          : []
      })
    })
    expect(upwards).toEqual([])
  })

  it('goes one way in the window: features meet only through ui and api', () => {
    const inWindow = (path: string | undefined) => path?.startsWith('renderer/src/') === true
    const wrong = files.filter(inWindow).flatMap((file) => {
      const from = windowPlace(file)
      if (from.layer < 0) return [`${file} is in no layer`]
      return importsOf(file).flatMap((specifier) => {
        const path = target(file, specifier)
        if (path === undefined || !inWindow(path)) return []
        const to = windowPlace(path)
        const isAllowed = to.layer < from.layer || to.feature === from.feature
        return isAllowed ? [] : [`${file} imports ${path}`]
      })
    })
    expect(wrong).toEqual([])
  })

  it('has no files that import each other in a circle, tests and scripts included', () => {
    const all = [...files, ...['test', 'scripts', 'packaging'].flatMap(sourcesIn)]
    const importsOfEach = all.map((file): [string, string[]] => [
      file,
      importsOf(file).flatMap((specifier) => target(file, specifier) ?? []),
    ])
    expect(circlesOf(new Map(importsOfEach))).toEqual([])
  })

  it('has files of up to 420 lines in electron/, few of them short, and few loose ones', () => {
    const sizes = files
      .filter((file) => file.startsWith('electron/'))
      .map((file) => ({
        file,
        lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1,
      }))
    expect(sizes.filter(({ lines }) => lines > 420)).toEqual([])
    expect(sizes.filter(({ lines }) => lines < 40).length).toBeLessThanOrEqual(60)
    const loose = files.filter((file) => /^electron\/server\/[^/]+$/.test(file))
    expect(loose.length, loose.join(', ')).toBeLessThanOrEqual(4)
  })

  it('declares routes in http/ and in files of routes, so that every route is in the contract', () => {
    const others = files.filter(
      (file) => (areaOf(file) ?? 'http') !== 'http' && !/(^|[-/])routes?\.ts$/.test(file),
    )
    const routes = others.filter((file) =>
      /\b(app|server|scope|fastify)\.(get|post|put|patch|delete|route|all)\(/.test(
        readFileSync(join(root, file), 'utf8'),
      ),
    )
    expect(routes).toEqual([])
  })

  it('keeps SQL in database/ and in files of queries', () => {
    const others = files.filter(
      (file) =>
        file.startsWith('electron/') &&
        areaOf(file) !== 'database' &&
        !/[/-]queries\.ts$/.test(file),
    )
    const withSql = others.filter((file) =>
      /\b(select .+ from|insert into|update \w+ set|delete from)\b/i.test(
        readFileSync(join(root, file), 'utf8'),
      ),
    )
    expect(withSql).toEqual([
      'electron/server/audit-log/audit-triggers.ts',
      'electron/server/modules/backups/backup-check.ts',
      'electron/server/modules/backups/open-backup.ts',
      'electron/server/modules/studies/search-index.ts',
    ])
  })

  it('finds circles', () => {
    const imports = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', ['e']],
      ['e', ['d', 'f']],
      ['f', []],
    ])
    expect(circlesOf(imports).toSorted()).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ])
  })

  it('reads imports of every form', () => {
    expect(files.length).toBeGreaterThan(40)
    expect(importsOf('test/modules.test.ts')).toContain('vitest')
    expect(fault('renderer/src/app/main.tsx', 'node:fs')).toMatch(/package node:fs/)
    expect(fault('renderer/src/app/main.tsx', '#server/server.ts')).toMatch(
      /imports electron\/server\/server\.ts/,
    )
    expect(fault('electron/server/server.ts', 'electron')).toMatch(/package electron/)
    expect(fault('electron/server/modules/nothing/x.ts', 'node:fs')).toMatch(
      /no module of the table/,
    )
  })
})
