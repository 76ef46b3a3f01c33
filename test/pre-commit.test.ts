import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { installGitHooks } from '../scripts/setup.mjs'

// A repository with the hook of this one, in a folder of its own.

const hooks = join(import.meta.dirname, '../.githooks')
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isthmus-hook-'))
  git('init', '--quiet')
  git('config', 'user.name', 'Test')
  git('config', 'user.email', 'test@example.org')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Without the variables that git sets for a hook, in which these tests may run themselves. */
const env = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))
function git(...args: string[]) {
  return spawnSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...env(), GIT_CONFIG_GLOBAL: '', GIT_CONFIG_NOSYSTEM: '1' },
  })
}
function write(file: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), content)
}
/** What the hook says of files that are committed, and whether it lets them. */
function commit(files: Readonly<Record<string, string | Buffer>>): {
  isMade: boolean
  output: string
} {
  git('config', 'core.hooksPath', hooks)
  for (const [file, content] of Object.entries(files)) write(file, content)
  git('add', '--all')
  const { status, stdout, stderr } = git('commit', '--quiet', '--message', 'test')
  return { isMade: status === 0, output: `${stdout}${stderr}` }
}

describe('the hook before a commit', () => {
  it('passes files without a fault', () => {
    const files = {
      'a.ts': "export const a = 'b'\n",
      'notes.md': 'Nothing of note.\n',
      'picture.png': Buffer.alloc(2000),
      'with a space.json': '{ "a": 1 }\n',
    }
    expect(commit(files)).toEqual({ isMade: true, output: '' })
  })

  it.each([
    ['a file that is not formatted', 'a.ts', 'export const a = "b";\n', /format/],
    ['a lint error', 'a.ts', "debugger\nexport const a = 'b'\n", /noDebugger/],
    ['a token', 'a.md', `ghp_${'a1B2'.repeat(9)}\n`, /a\.md has a token of a forge/],
    [
      'a folder of somebody',
      'a.md',
      ['', 'home', 'maria', 'x'].join('/'),
      /a\.md has a folder of somebody/,
    ],
    [
      'a patient who is not invented',
      'a.md',
      ['Kowalczyk', 'Piotr'].join('^'),
      /Kowalczyk\^… in a\.md: is it invented/,
    ],
    [
      'a file of more than 1 MiB',
      'a.bin',
      Buffer.alloc(1024 * 1024 + 1),
      /a\.bin has 1\.0 MiB: it may have at most 1 MiB/,
    ],
    [
      'a larger file than is allowed for the backup of a fixture',
      'test/fixtures/data-folder/data-folder-0018-backup.tar.gz',
      Buffer.alloc(2 * 1024 * 1024 + 1),
      /backup\.tar\.gz has 2\.0 MiB: it may have at most 2 MiB/,
    ],
  ])('refuses %s', (_, file, content, reason) => {
    const { isMade, output } = commit({ [file]: content })
    expect(output).toMatch(reason)
    expect(isMade).toBe(false)
  })

  it('looks at what is staged, not at the working tree', () => {
    write('a.ts', 'export const a = "b";\n')
    git('add', '--all')
    git('config', 'core.hooksPath', hooks)
    write('a.ts', "export const a = 'b'\n")
    expect(git('commit', '--quiet', '--message', 'test').status).toBe(1)
    git('add', '--all')
    write('a.ts', 'export const a = "b";\n')
    expect(git('commit', '--quiet', '--message', 'test').status).toBe(0)
  })

  it('lets a file be deleted', () => {
    commit({ 'a.ts': "export const a = 'b'\n", 'b.ts': "export const b = 'c'\n" })
    rmSync(join(folder, 'a.ts'))
    expect(commit({})).toEqual({ isMade: true, output: '' })
  })
})

describe('switching the hook on', () => {
  const hooksPath = () => git('config', '--get', 'core.hooksPath').stdout.trim()

  it('is done in a checkout', () => {
    installGitHooks(folder, {})
    expect(hooksPath()).toBe('.githooks')
  })

  it('is not done on CI, nor in a folder that is no checkout', () => {
    installGitHooks(folder, { CI: 'true' })
    expect(hooksPath()).toBe('')
    mkdirSync(join(folder, 'inside'))
    installGitHooks(join(folder, 'inside'), {})
    expect(hooksPath()).toBe('')
  })

  it('leaves hooks of the person alone', () => {
    git('config', 'core.hooksPath', 'my-hooks')
    installGitHooks(folder, {})
    expect(hooksPath()).toBe('my-hooks')
  })
})
