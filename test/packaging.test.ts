import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { FuseV1Options, FuseVersion, flipFuses } from '@electron/fuses'
import type { Configuration } from 'electron-builder'
import { beforeAll, describe, expect, it } from 'vitest'
import { executableIn, readAsar, unpackedFolder } from '../packaging/app-folder.ts'
import { faultsOfContents, isFor, NEEDED, NEEDED_IN_APP, PACKAGES } from '../packaging/contents.ts'
import { FUSES, faultsOfFuses, fuseConfig } from '../packaging/fuses.ts'
import { releaseNotes } from '../packaging/release-notes.ts'
import { compareSizes } from '../packaging/sizes.ts'
import { makeStandIn } from '../packaging/stand-in.ts'
import { SETTINGS } from '../shared/contract/settings.ts'
import { scratchFolder } from './support/dcmtk.ts'
import { needs } from './support/needs.ts'

// The parts of electron-builder that read a configuration belong to packages beneath it.
const require = createRequire(createRequire(import.meta.url).resolve('electron-builder'))
const root = join(import.meta.dirname, '..')
const text = (path: string) => readFileSync(join(root, path), 'utf8')
const LINUX = { platform: 'linux', arch: 'x64' } as const

let configuration: Configuration
let validate: (configuration: unknown) => Promise<void>
beforeAll(async () => {
  const { getConfig, validateConfiguration } = require('app-builder-lib/out/util/config/config')
  const { DebugLogger } = require('builder-util')
  configuration = await getConfig(root, 'electron-builder.yml', null)
  validate = (given) => validateConfiguration(given, new DebugLogger(false))
})

describe('the configuration of the installers', () => {
  it('is one that electron-builder takes', async () => {
    await expect(validate(configuration)).resolves.toBeUndefined()
    await expect(validate({ ...configuration, wrongKey: true })).rejects.toThrow(/wrongKey/)
  })

  it('never changes what an installation is known by', () => {
    expect(configuration.appId).toBe('health.isthmus.gateway')
    expect(configuration.msi?.upgradeCode).toBe('6f1b0f4e-3c57-4a19-9d0a-2f6d4b8e7c31')
  })

  it('is for Windows per PC by NSIS and MSI, for macOS, and for Linux as AppImage and deb', () => {
    expect(configuration.win?.target).toEqual(['nsis', 'msi'])
    expect(configuration.mac?.target).toEqual(['dmg', 'zip'])
    expect(configuration.linux?.target).toEqual(['AppImage', 'deb'])
    expect(configuration.nsis).toMatchObject({
      oneClick: false,
      perMachine: true,
      warningsAsErrors: true,
    })
    expect(configuration.msi).toMatchObject({ perMachine: true })
  })

  it('keeps the data of a clinic when the program is removed', () => {
    expect(configuration.nsis?.deleteAppDataOnUninstall).toBe(false)
    const commands = text('packaging/installer.nsh')
      .split('\n')
      .filter((line) => !/^\s*#|firewall delete rule/.test(line))
    expect(commands.filter((line) => /RMDir|Delete\s|APPDATA|PROGRAMDATA/i.test(line))).toEqual([])
  })

  it('names files that are there', () => {
    const named = [
      ...[configuration.icon, configuration.afterPack, configuration.nsis?.include],
      ...[configuration.mac?.entitlements, configuration.mac?.entitlementsInherit],
    ]
    expect(
      named.filter((path) => typeof path !== 'string' || !existsSync(join(root, path))),
    ).toEqual([])
  })

  it('opens links that begin with isthmus://', () => {
    expect(configuration.protocols).toEqual([{ name: 'Isthmus', schemes: ['isthmus'] }])
  })

  it('holds no place for updates that was not said when it was built', () => {
    expect(configuration.publish).toEqual({ provider: 'generic', url: 'https://updates.invalid/' })
  })

  it('asks nothing of macOS but what V8 and dictation need', () => {
    const asked = [...text('packaging/entitlements.mac.plist').matchAll(/<key>(.+)<\/key>/g)].map(
      (match) => match[1],
    )
    expect(asked).toEqual([
      'com.apple.security.cs.allow-jit',
      'com.apple.security.device.audio-input',
    ])
    expect(configuration.mac?.hardenedRuntime).toBe(true)
  })

  it('leaves out every package that is in the bundles, and keeps those of the table', () => {
    const patterns = JSON.stringify(configuration.files)
    const kept = /node_modules\/!\(([^)]+)\)\{,\/\*\*\}/.exec(patterns)?.[1]?.split('|')
    expect(kept).toEqual(Object.keys(PACKAGES))
    const { external } =
      /external = \[(?<external>[\s\S]+?)\n\]/.exec(text('vite.config.ts'))?.groups ?? {}
    expect(
      ['better-sqlite3', 'dcmjs', 'dicom-dimse-native'].every((name) =>
        external?.includes(`'${name}'`),
      ),
    ).toBe(true)
  })
})

describe('the doors that the Windows installer opens', () => {
  const script = text('packaging/installer.nsh')
  const ports = [SETTINGS['dimse.port'].initial, SETTINGS['dimse.tlsPort'].initial]
  const macro = (name: string) =>
    new RegExp(`!macro ${name}\\n([\\s\\S]*?)!macroend`).exec(script)?.[1] ?? ''

  it.each(ports)(
    'are the port %i of the settings, for this program and on networks that are not public',
    (port) => {
      const rule = script
        .split('\n')
        .find((line) => line.includes('add rule') && line.includes(`localport=${port} `))
      expect(rule).toContain('dir=in action=allow protocol=TCP')
      expect(rule).toMatch(/program="\$INSTDIR\\\$\{APP_EXECUTABLE_FILENAME\}"/)
      expect(rule).toContain('profile=domain,private')
    },
  )

  it('are no others, and are closed when the program is removed', () => {
    const named = (of: string, verb: string) =>
      [...of.matchAll(new RegExp(`${verb} rule name="([^"]+)"`, 'g'))].map((match) => match[1])
    expect(named(macro('customInstall'), 'add')).toEqual(
      ports.map((port) => expect.stringContaining(`TCP ${port}`)),
    )
    expect(named(macro('isthmusForgetFirewall'), 'delete')).toEqual(
      named(macro('customInstall'), 'add'),
    )
    expect(macro('customUnInstall')).toContain('!insertmacro isthmusForgetFirewall')
  })

  it('come with the links of isthmus://, which go with them', () => {
    expect(macro('customInstall')).toContain('Software\\Classes\\isthmus\\shell\\open\\command')
    expect(macro('customUnInstall')).toContain(
      'DeleteRegKey SHELL_CONTEXT "Software\\Classes\\isthmus"',
    )
  })
})

describe('the fuses', () => {
  it('are all that Electron has, each as the table says', () => {
    expect(Object.keys(FUSES)).toEqual(
      Object.keys(FuseV1Options).filter((name) => !/^\d+$/.test(name)),
    )
    expect(FUSES).toMatchObject({
      RunAsNode: false,
      OnlyLoadAppFromAsar: true,
      EnableEmbeddedAsarIntegrityValidation: true,
    })
    expect(FUSES).toMatchObject({
      EnableNodeOptionsEnvironmentVariable: false,
      EnableNodeCliInspectArguments: false,
    })
  })

  it('are the same in the configuration, as far as it knows them', () => {
    const camel = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)
    const { WasmTrapHandlers: _, ...known } = FUSES
    expect(configuration.electronFuses).toEqual(
      Object.fromEntries(Object.entries(known).map(([name, value]) => [camel(name), value])),
    )
  })

  it('are read back from a program, and one that is wrong is named', async () => {
    using scratch = scratchFolder()
    makeStandIn(scratch.path, '45.0.0')
    const program = join(scratch.path, 'electron')
    expect(await faultsOfFuses(program)).toContain('The fuse RunAsNode is not off.')
    await flipFuses(program, fuseConfig(false))
    expect(await faultsOfFuses(program)).toEqual([])
    await flipFuses(program, {
      version: FuseVersion.V1,
      [FuseV1Options.OnlyLoadAppFromAsar]: false,
    })
    expect(await faultsOfFuses(program)).toEqual(['The fuse OnlyLoadAppFromAsar is not on.'])
  })

  it('break the build where Electron has one more than the table', async () => {
    using scratch = scratchFolder()
    makeStandIn(scratch.path, '46.0.0')
    const program = join(scratch.path, 'electron')
    const bytes = readFileSync(program)
    const at = bytes.indexOf('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX') + 32
    const longer = Buffer.concat([
      bytes.subarray(0, at),
      Buffer.from([1, 10]),
      bytes.subarray(at + 2, at + 11),
      Buffer.from('1'),
      bytes.subarray(at + 11),
    ])
    writeFileSync(program, longer)
    await expect(flipFuses(program, fuseConfig(false))).rejects.toThrow(/strictlyRequireAllFuses/)
    expect(await faultsOfFuses(program)).toContain(
      'This Electron has a fuse 9 that packaging/fuses.ts does not know.',
    )
  })
})

describe('what is inside a program', () => {
  const whole = [
    ...NEEDED,
    ...NEEDED_IN_APP,
    'node_modules/better-sqlite3/prebuilds/linux-x64.node',
  ]
  const faults = (...more: string[]) =>
    faultsOfContents([...whole, ...more], LINUX, [...NEEDED, ...NEEDED_IN_APP])

  it('is taken where nothing is missing and nothing too much', () => {
    expect(faults()).toEqual([])
  })

  it.each([
    'dist/electron/main.js.map',
    'electron/main.ts',
    'shared/ids.ts',
    'node_modules/dcmjs/test/sample.js',
    'node_modules/better-sqlite3/prebuilds/win32-x64.node',
    'node_modules/better-sqlite3/prebuilds/linuxmusl-x64.node',
    'node_modules/better-sqlite3/src/addon.cpp',
    'node_modules/fastify/fastify.js',
    'node_modules/@fastify/static/index.js',
    'node_modules/dcmjs/node_modules/gl-matrix/index.js',
    'node_modules/dicom-dimse-native/dicom.log',
    'dist/.env',
    'data/gateway.sqlite',
    'data/data.key',
  ])('is not %s', (file) => {
    expect(
      faults(file).some((fault) =>
        fault.includes(file.split('/').at(file.includes('fastify') ? 1 : -1) ?? ''),
      ),
    ).toBe(true)
  })

  it('is named where it is missing', () => {
    expect(faultsOfContents([], LINUX, ['dist/electron/headless.js'])).toEqual([
      'dist/electron/headless.js is missing.',
      'node_modules/better-sqlite3/prebuilds/linux-x64.node is missing.',
    ])
  })

  it('is for the operating system it is made for', () => {
    const node = readFileSync(
      join(root, 'node_modules/better-sqlite3/prebuilds/linux-x64.node'),
    ).subarray(0, 4)
    const exe = readFileSync(
      join(root, 'node_modules/better-sqlite3/prebuilds/win32-x64.node'),
    ).subarray(0, 4)
    const mac = readFileSync(
      join(root, 'node_modules/better-sqlite3/prebuilds/darwin-arm64.node'),
    ).subarray(0, 4)
    expect([node, exe, mac].map((head) => isFor(head, LINUX))).toEqual([true, false, false])
    expect(isFor(exe, { platform: 'win32', arch: 'x64' })).toBe(true)
    expect(isFor(mac, { platform: 'darwin', arch: 'arm64' })).toBe(true)
  })

  it('is read from the archive, with what lies beside it', () => {
    using scratch = scratchFolder()
    const header = JSON.stringify({
      files: {
        a: { files: { 'b.js': { size: 3, offset: '0' } } },
        'c.node': { size: 7, unpacked: true },
      },
    })
    const file = join(scratch.path, 'app.asar')
    const lengths = Buffer.alloc(16)
    for (const [at, value] of [4, header.length + 8, header.length + 4, header.length].entries())
      lengths.writeUInt32LE(value, at * 4)
    writeFileSync(file, Buffer.concat([lengths, Buffer.from(header), Buffer.from('abc')]))
    expect(readAsar(file)).toEqual([
      { path: 'a/b.js', size: 3, isUnpacked: false },
      { path: 'c.node', size: 7, isUnpacked: true },
    ])
  })

  it('has the name of each system', () => {
    expect(['linux', 'win32', 'darwin'].map(executableIn)).toEqual([
      'isthmus',
      'Isthmus.exe',
      'Isthmus.app',
    ])
  })

  it.each([
    ['linux', 'x64', 'linux-unpacked'],
    ['linux', 'arm64', 'linux-arm64-unpacked'],
    ['win32', 'x64', 'win-unpacked'],
    ['darwin', 'x64', 'mac'],
    ['darwin', 'arm64', 'mac-arm64'],
  ] as const)(
    'is in the folder that electron-builder makes for %s on %s',
    (platform, arch, folder) => {
      const { Platform, PlatformPackager } = require('app-builder-lib')
      const { Arch } = require('builder-util')
      const builder = {
        packagerOptions: {},
        platformSpecificBuildOptions: {},
        platform: Platform.fromString(platform),
      }
      expect(PlatformPackager.prototype.computeAppOutDir.call(builder, '/out', Arch[arch])).toBe(
        resolve('/out', folder),
      )
      expect(unpackedFolder({ platform, arch })).toBe(folder)
    },
  )
})

describe('what is new in a version', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n- Later.\n\n## [1.2.0] - 2026-11-22\n\n- A thing.\n- Another.\n\n## 1.1.0\n\n- Old.\n'
  it('is the part of the changelog of that version, or of what has none yet', () => {
    expect(releaseNotes(changelog, '1.2.0')).toBe('- A thing.\n- Another.')
    expect(releaseNotes(changelog, '1.1.0')).toBe('- Old.')
    expect(releaseNotes(changelog, '2.0.0')).toBe('- Later.')
    expect(releaseNotes('# Changelog\n', '1.0.0')).toBeUndefined()
  })
  it('is there of the version of now', () => {
    const { version } = createRequire(import.meta.url)('../package.json') as { version: string }
    expect(
      releaseNotes(readFileSync(join(import.meta.dirname, '../CHANGELOG.md'), 'utf8'), version),
    ).toContain('- ')
  })
})

describe('the size of a program', () => {
  it('is printed part by part, and told where it is above its budget', () => {
    const lines: string[] = []
    const told = compareSizes('app', { window: 1e6, gateway: 500e6, other: 9e9 }, (line) =>
      lines.push(line),
    )
    expect(told).toEqual([expect.stringMatching(/^The part gateway has 500\.0 MB/)])
    expect(lines).toHaveLength(3)
  })
})

describe('the service', () => {
  const unit = text('packaging/service/isthmus.service')
  const value = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1]

  it('may do no more than it needs', () => {
    expect(
      Object.fromEntries(
        [
          'NoNewPrivileges',
          'ProtectSystem',
          'ProtectHome',
          'PrivateTmp',
          'StateDirectory',
          'StateDirectoryMode',
          'UMask',
          'LimitCORE',
        ].map((key) => [key, value(key)]),
      ),
    ).toEqual({
      ...{
        NoNewPrivileges: 'true',
        ProtectSystem: 'strict',
        ProtectHome: 'true',
        PrivateTmp: 'true',
      },
      ...{ StateDirectory: 'isthmus', StateDirectoryMode: '0700', UMask: '0077', LimitCORE: '0' },
    })
    expect(value('CapabilityBoundingSet')).toBe('')
    expect(value('MemoryMax')).toMatch(/^\d+G$/)
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=/m)
  })

  it('is started again after every end but one by a wrong option', () => {
    expect(value('Restart')).toBe('on-failure')
    expect(value('RestartPreventExitStatus')).toBe('2')
    expect(value('RestartForceExitStatus')).toBe('SIGHUP SIGPIPE')
  })

  it('is a unit that systemd takes, and finds well closed', (context) => {
    needs(context, 'systemd')
    using scratch = scratchFolder()
    const file = join(scratch.path, 'isthmus.service')
    writeFileSync(file, unit.replaceAll('/opt/isthmus/bin/isthmus', '/bin/true'))
    const verify = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    expect({
      status: verify.status,
      said: verify.stderr.split('\n').filter((line) => line.includes('isthmus.service')),
    }).toEqual({
      status: 0,
      said: [],
    })
    const security = spawnSync(
      'systemd-analyze',
      ['security', '--offline=true', '--threshold=20', '--no-pager', file],
      {
        encoding: 'utf8',
      },
    )
    expect(security.status, security.stdout + security.stderr).toBe(0)
  })

  it('is installed beside earlier versions, whose options it keeps', () => {
    using scratch = scratchFolder()
    const base = join(scratch.path, 'root')
    const install = (version: string) => {
      const folder = join(scratch.path, `isthmus-service-${version}-linux-x64`)
      mkdirSync(join(folder, 'bin'), { recursive: true })
      writeFileSync(join(folder, 'bin/node'), '#!/bin/sh\necho v24\n', { mode: 0o755 })
      for (const name of ['install.sh', 'isthmus.service', 'isthmus.env'])
        writeFileSync(join(folder, name), text(`packaging/service/${name}`), { mode: 0o755 })
      return spawnSync('/bin/sh', [join(folder, 'install.sh')], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, ISTHMUS_ROOT: base },
      })
    }
    expect(install('1.0.0')).toMatchObject({ status: 0, stderr: '' })
    const options = join(base, 'etc/isthmus/isthmus.env')
    writeFileSync(options, 'ISTHMUS_OPTIONS=--https 0.0.0.0:8443\n')
    expect(install('1.1.0')).toMatchObject({ status: 0, stderr: '' })
    const version = (name: string) =>
      existsSync(join(base, `opt/isthmus-service-${name}-linux-x64/bin/node`))
    expect(['1.0.0', '1.1.0'].map(version)).toEqual([true, true])
    expect(
      spawnSync('readlink', [join(base, 'opt/isthmus')], { encoding: 'utf8' }).stdout.trim(),
    ).toBe('isthmus-service-1.1.0-linux-x64')
    expect(readFileSync(options, 'utf8')).toContain('8443')
    expect(readFileSync(join(base, 'etc/systemd/system/isthmus.service'), 'utf8')).toBe(unit)
  })

  it('is not installed with an option that does not exist', () => {
    const { status, stderr } = spawnSync(
      '/bin/sh',
      [join(root, 'packaging/service/install.sh'), '--nostart'],
      { encoding: 'utf8' },
    )
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'install.sh: there is no option --nostart\n',
    })
  })
})
