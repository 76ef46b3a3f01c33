import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  faultsOfContents,
  isFor,
  NEEDED,
  NEEDED_IN_APP,
  OPTIONAL_BINARY,
  type Target,
} from './contents.ts'
import { faultsOfFuses } from './fuses.ts'
import type { Sizes } from './sizes.ts'

/** What is known of a built folder. */
export interface AppFolder {
  readonly faults: readonly string[]
  readonly sizes: Sizes
}

const EXECUTABLES: Readonly<Record<string, string>> = {
  linux: 'isthmus',
  win32: 'Isthmus.exe',
  darwin: 'Isthmus.app',
}
const RESOURCES: Readonly<Record<string, string>> = {
  linux: 'resources',
  win32: 'resources',
  darwin: 'Isthmus.app/Contents/Resources',
}

/** The program in the folder that electron-builder makes. */
export const executableIn = (platform: string): string =>
  EXECUTABLES[platform] ?? EXECUTABLES.linux ?? ''

const SYSTEMS: Readonly<Record<string, string>> = { linux: 'linux', win32: 'win', darwin: 'mac' }

/**
 * Name of that folder, such as `linux-unpacked` or `mac-arm64`: electron-builder leaves out x64.
 */
export function unpackedFolder({ platform, arch }: Target): string {
  const ofArch = arch === 'x64' ? '' : `-${arch}`
  return `${SYSTEMS[platform]}${ofArch}${platform === 'darwin' ? '' : '-unpacked'}`
}

/**
 * Looks at what was built: fuses, what is inside, native modules beside the archive, the size of
 * each part.
 */
export async function inspectApp(folder: string, target: Target): Promise<AppFolder> {
  const resources = join(folder, RESOURCES[target.platform] ?? '')
  const archive = join(resources, 'app.asar')
  const entries = readAsar(archive)
  const files = entries.map(({ path }) => path)
  const native = entries.filter(({ path }) => path.endsWith('.node'))
  const beside = (path: string) => join(`${archive}.unpacked`, path)
  const head = (path: string) => readHead(beside(path))
  const bytes = (form: RegExp) =>
    sum(
      entries
        .filter(({ path, isUnpacked }) => form.test(path) && !isUnpacked)
        .map(({ size }) => size),
    )
  return {
    faults: [
      ...(await faultsOfFuses(join(folder, executableIn(target.platform)))),
      ...faultsOfContents(files, target, [...NEEDED, ...NEEDED_IN_APP]),
      ...native
        .filter(({ isUnpacked }) => !isUnpacked)
        .map(({ path }) => `${path} is in the archive, where the system cannot load it.`),
      ...native
        .filter(({ path, isUnpacked }) => isUnpacked && !existsSync(beside(path)))
        .map(({ path }) => `${path} is not beside the archive.`),
      ...native
        .filter(({ path }) => existsSync(beside(path)) && !isFor(head(path), target))
        .map(({ path }) => `${path} is for another operating system than ${target.platform}.`),
      ...(existsSync(join(resources, 'app')) ? ['There is a folder app beside app.asar.'] : []),
      ...(existsSync(join(folder, licencesIn(target)))
        ? []
        : ['The licences of others (THIRD-PARTY-LICENSES.txt) are missing.']),
    ],
    sizes: {
      window: bytes(/^dist\/renderer\//),
      gateway: bytes(/^dist\/electron\//),
      packages: bytes(/^node_modules\//),
      native: sum(native.map(({ size }) => size)),
      whole: sizeOf(folder),
    },
  }
}

/** The module for other DICOM systems, which a build may lack. */
export const hasNativeModule = (folder: string, { platform }: Target): boolean =>
  existsSync(join(folder, RESOURCES[platform] ?? '', 'app.asar.unpacked', OPTIONAL_BINARY))

const licencesIn = ({ platform }: Target): string =>
  join(platform === 'darwin' ? 'Isthmus.app/Contents' : '', 'THIRD-PARTY-LICENSES.txt')

interface AsarEntry {
  readonly path: string
  readonly size: number
  readonly isUnpacked: boolean
}
interface AsarNode {
  readonly files?: Readonly<Record<string, AsarNode>>
  readonly size?: number
  readonly unpacked?: boolean
}

/** Files of an asar archive, by its header: a length, a pickle of JSON (electron/asar, README). */
export function readAsar(archive: string): AsarEntry[] {
  const file = openSync(archive, 'r')
  try {
    const lengths = Buffer.alloc(16)
    readSync(file, lengths, 0, 16, 0)
    const json = Buffer.alloc(lengths.readUInt32LE(12))
    readSync(file, json, 0, json.length, 16)
    return walk(JSON.parse(json.toString('utf8')) as AsarNode, '')
  } finally {
    closeSync(file)
  }
}

function walk(node: AsarNode, path: string): AsarEntry[] {
  if (!node.files) return [{ path, size: node.size ?? 0, isUnpacked: node.unpacked === true }]
  return Object.entries(node.files).flatMap(([name, child]) =>
    walk(child, path === '' ? name : `${path}/${name}`),
  )
}

export function readHead(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(4)
    readSync(file, head, 0, 4, 0)
    return head
  } finally {
    closeSync(file)
  }
}

/** Paths of the files of a folder, by `/`. */
export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort()

export const sizeOf = (folder: string): number =>
  sum(filesIn(folder).map((file) => statSync(join(folder, file)).size))

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
