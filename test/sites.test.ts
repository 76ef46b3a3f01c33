import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { withSecrets } from '#electron/cli/secret-references.ts'
import { SETTINGS } from '#shared/contract/settings.ts'
import { openFolder } from './electron/server/modules/control/commands-fixture.ts'

// The examples of docs/SITES.md are applied, run, and compared with what they name.

const TEXT = readFileSync(join(import.meta.dirname, '../docs/SITES.md'), 'utf8')
const blocks = [...TEXT.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, type, text = '']) => ({
  type,
  text,
}))
const having = (word: string) => {
  const found = blocks.find(({ text }) => text.includes(word))
  if (!found) throw new Error(`no example with ${word}`)
  return found.text
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isthmus-sites-'))
  mkdirSync(join(folder, 'secrets'))
  for (const name of ['mail', 'oidc', 'otlp'])
    writeFileSync(join(folder, 'secrets', name), `secret of ${name}\n`)
  writeFileSync(join(folder, 'secrets', 'partner'), `whsec_${'A'.repeat(43)}=\n`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the files of a site', () => {
  it('describe a whole gateway, and change nothing the second time', async () => {
    using gateway = openFolder()
    const apply = (file: string) =>
      gateway.run('apply', { input: withSecrets(file, folder, {}), options: {} })
    const [group, north] = [having('# Applied to every gateway'), having('North Clinic\n  clinic.')]
    for (const file of [group, north]) {
      const { ok, output } = await apply(file)
      expect(ok, output).toBe(true)
    }
    for (const file of [group, north, group])
      expect((await apply(file)).output).toBe('Nothing to change.')
    expect(gateway.context.settings.get('reports.destinationId')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('name settings that exist', () => {
    for (const [, key = ''] of TEXT.matchAll(/`((?:oidc|otlp|window|http)\.\w+)`/g))
      expect(Object.keys(SETTINGS), key).toContain(key)
  })
})

describe('apply.sh', () => {
  it('applies each file to its gateway, and names those that failed', () => {
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    mkdirSync(join(folder, 'sites'))
    for (const site of ['north', 'south']) writeFileSync(join(folder, 'sites', `${site}.yaml`), '')
    writeFileSync(join(folder, 'group.yaml'), '')
    writeFileSync(join(folder, 'apply.sh'), having('#!/bin/sh'))
    // South cannot be reached.
    for (const name of ['ssh', 'scp']) {
      const file = join(bin, name)
      writeFileSync(
        file,
        `#!/bin/sh\necho "${name} $*" >> calls\ncase "$*" in *south*) exit 1;; esac\n`,
      )
      chmodSync(file, 0o700)
    }
    const run = () =>
      execFileSync('sh', ['apply.sh', '--dry-run'], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: `${bin}:${process.env.PATH}` },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    expect(run).toThrow(/Not applied: south/)
    expect(readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')).toEqual([
      'scp -q group.yaml sites/north.yaml north:/etc/isthmus/',
      'ssh north isthmus apply --data /var/lib/isthmus /etc/isthmus/group.yaml --dry-run',
      'ssh north isthmus apply --data /var/lib/isthmus /etc/isthmus/north.yaml --dry-run',
      'scp -q group.yaml sites/south.yaml south:/etc/isthmus/',
    ])
  })
})

describe('the examples for collectors', () => {
  it('are YAML, and each pipeline names what is configured', () => {
    for (const { type, text } of blocks)
      if (type === 'yaml') expect(() => parse(text)).not.toThrow()
    const collector = parse(having('bearertokenauth:'))
    for (const pipeline of Object.values(collector.service.pipelines) as Record<string, string[]>[])
      for (const [kind, names] of Object.entries(pipeline))
        for (const name of names) expect(Object.keys(collector[kind]), name).toContain(name)
    expect(Object.keys(collector.extensions)).toEqual(collector.service.extensions)
  })

  it('ask for metrics that the gateway has', () => {
    const monitoring = readFileSync(join(import.meta.dirname, '../docs/MONITORING.md'), 'utf8')
    const metrics = [...TEXT.matchAll(/isthmus_\w+/g)]
      .map(([name]) => name.replace(/_bucket$/, ''))
      .filter((name) => name !== 'isthmus_site')
    expect(new Set(metrics).size).toBeGreaterThan(10)
    for (const name of metrics) expect(monitoring, name).toContain(name)
  })
})
