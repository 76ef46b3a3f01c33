import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { root } from './contents.ts'

/** A package as package-lock.json names it. */
export interface LockedPackage {
  /** `node_modules/a` or `node_modules/a/node_modules/b`. */
  readonly path: string
  readonly name: string
  readonly version: string
  /** `sha512-` and base64; empty where the lock has none. */
  readonly integrity: string
  /** From where, where the lock says so. */
  readonly resolved: string
  readonly license: string
  readonly hasInstallScript: boolean
  /** Names of what it needs, or may need. */
  readonly needs: readonly string[]
}

export interface Lock {
  readonly packages: ReadonlyMap<string, LockedPackage>
  /**
   * What the package of this name is, seen from a package at `from` ('' is our own): the nearest
   * one, as Node finds it.
   */
  find(from: string, name: string): LockedPackage | undefined
  /** Packages of these names that we name ourselves, and all that they need. */
  closure(names: Iterable<string>): ReadonlySet<LockedPackage>
}

type Names = Readonly<Record<string, string>>

/** package.json, as far as its packages go. */
export interface Manifest {
  readonly dependencies: Names
  readonly devDependencies: Names
  readonly optionalDependencies: Names
  readonly overrides: Readonly<Record<string, string | Names>>
  readonly allowScripts: Readonly<Record<string, boolean>>
}

interface RawEntry {
  readonly name?: string
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly license?: string
  readonly hasInstallScript?: boolean
  /** Of a workspace: a folder of the project. */
  readonly link?: boolean
  readonly dependencies?: Names
  readonly optionalDependencies?: Names
  readonly peerDependencies?: Names
}

/** package.json with the tools of test/tools, which we only test and check with. */
export const readManifest = (): Manifest => {
  const given = readPackage('package.json')
  const tools = readPackage('test/tools/package.json').dependencies
  const {
    dependencies = {},
    devDependencies = {},
    optionalDependencies = {},
    overrides = {},
    allowScripts = {},
  } = given
  return {
    ...{ dependencies, optionalDependencies, overrides, allowScripts },
    devDependencies: { ...devDependencies, ...tools },
  }
}

const readPackage = (file: string) =>
  JSON.parse(readFileSync(join(root, file), 'utf8')) as Partial<Manifest>

/** @param text of a package-lock.json of version 3; the project's own where none is given */
export function readLock(text = readFileSync(join(root, 'package-lock.json'), 'utf8')): Lock {
  const raw = (JSON.parse(text) as { readonly packages: Readonly<Record<string, RawEntry>> })
    .packages
  const packages = new Map(
    Object.entries(raw).flatMap(([path, entry]) =>
      path.startsWith('node_modules/') && !entry.link
        ? [[path, packageOf(path, entry)] as const]
        : [],
    ),
  )
  const find = (from: string, name: string): LockedPackage | undefined => {
    for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
      const found = packages.get(posix.join(at, 'node_modules', name))
      if (found || !at.includes('/node_modules/'))
        return found ?? packages.get(`node_modules/${name}`)
    }
  }
  return {
    packages,
    find,
    closure(names) {
      const reached = new Set<LockedPackage>()
      const take = (from: string, name: string): void => {
        const one = find(from, name)
        if (!one || reached.has(one)) return
        reached.add(one)
        for (const need of one.needs) take(one.path, need)
      }
      for (const name of names) take('', name)
      return reached
    },
  }
}

function packageOf(path: string, entry: RawEntry): LockedPackage {
  const { dependencies, optionalDependencies, peerDependencies } = entry
  return {
    path,
    name: entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version: entry.version ?? '',
    integrity: entry.integrity ?? '',
    resolved: entry.resolved ?? '',
    license: entry.license ?? '',
    hasInstallScript: entry.hasInstallScript === true,
    needs: Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies }),
  }
}
