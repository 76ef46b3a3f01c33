import { join } from 'node:path'

/** For whom it is built. */
export interface Target {
  readonly platform: NodeJS.Platform
  readonly arch: string
}

export const root = join(import.meta.dirname, '..')
export const thisMachine: Target = { platform: process.platform, arch: process.arch }

/**
 * The packages that stay outside the bundles (vite.config.ts, `external`), with all that is needed
 * of them. `files` of electron-builder.yml says the same for the app, and test/packaging.test.ts
 * compares both.
 */
export const PACKAGES: Readonly<Record<string, (target: Target) => readonly string[]>> = {
  'better-sqlite3': ({ platform, arch }) => [
    'package.json',
    'LICENSE',
    'lib',
    `prebuilds/${platform}-${arch}.node`,
  ],
  dcmjs: () => ['package.json', 'License.txt', 'build/dcmjs.es.js', 'generate/dictionary.mjs'],
  'dicom-dimse-native': () => ['package.json', 'LICENSE', 'index.js', 'build/Release/dcmtk.node'],
  bindings: () => ['package.json', 'LICENSE.md', 'bindings.js'],
  'file-uri-to-path': () => ['package.json', 'LICENSE', 'index.js'],
}
/** Without it worklists are served all the same, so a build goes on, and says so. */
export const OPTIONAL_BINARY = 'node_modules/dicom-dimse-native/build/Release/dcmtk.node'

/** What a program cannot do without, whatever else changes. */
export const NEEDED = [
  'package.json',
  'dist/electron/headless.js',
  'dist/electron/native-worker.js',
  'dist/electron/thumbnail-worker.js',
  'dist/renderer/index.html',
  'dist/renderer/viewer.html',
  'dist/renderer/help/index.html.br',
  'node_modules/dcmjs/build/dcmjs.es.js',
] as const
export const NEEDED_IN_APP = ['dist/electron/main.js', 'dist/electron/preload.cjs'] as const

const NEVER: readonly (readonly [RegExp, string])[] = [
  [/\.map$/, 'a source map'],
  [/\.(ts|tsx|mts|cts)$/, 'a source'],
  [/\.(c|cc|cpp|h|hpp|gyp|gypi)$/, 'a source of a native module'],
  [/(^|\/)(tests?|__tests__|spec|examples?|fixtures)\//, 'a test or an example'],
  [/\.(test|spec)\.[cm]?js$/, 'a test'],
  [
    /(^|\/)\.env|\.pem$|\.key$|(^|\/)dicom\.log$|\.sqlite(-wal|-shm)?$/,
    'data or a secret of this machine',
  ],
  [/^(electron|renderer|shared|test|scripts|packaging|docs)\//, 'a folder of the sources'],
]

/**
 * What has no business in a built program, and what is missing, one sentence each. @param files
 * paths in it, by `/`
 */
export function faultsOfContents(
  files: readonly string[],
  target: Target,
  needed: readonly string[],
): string[] {
  const there = new Set(files)
  const own = `${target.platform}-${target.arch}.node`
  const packages = new Set(
    files.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []),
  )
  return [
    ...files.flatMap((file) =>
      NEVER.filter(([form]) => form.test(file)).map(([, what]) => `${file} is ${what}.`),
    ),
    ...files
      .filter((file) => file.includes('/prebuilds/') && !file.endsWith(`/${own}`))
      .map(
        (file) => `${file} is for another kind of computer than ${target.platform}-${target.arch}.`,
      ),
    ...[...packages]
      .filter((name) => !Object.hasOwn(PACKAGES, name))
      .map((name) => `The package ${name} is there, and is in the bundles already.`),
    ...files
      .filter((file) => /^node_modules\/(@[^/]+\/)?[^/]+\/node_modules\//.test(file))
      .map((file) => `${file} is a package in a package.`),
    ...[...needed, `node_modules/better-sqlite3/prebuilds/${own}`]
      .filter((file) => !there.has(file))
      .map((file) => `${file} is missing.`),
  ]
}

const MAGIC: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['7f454c46'],
  win32: ['4d5a'],
  darwin: ['cffaedfe', 'cafebabe'],
}

/** Whether a native module is for the target's operating system. @param head its first bytes */
export const isFor = (head: Buffer, { platform }: Target): boolean =>
  (MAGIC[platform] ?? []).some((magic) => head.toString('hex').startsWith(magic))
