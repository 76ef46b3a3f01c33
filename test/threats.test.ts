import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hasTest, readTestFile } from './support/promise-table.ts'

// docs/THREATS.md is read as a table: what it says is shown by a test is shown by one that exists.

const TEXT = readFileSync(join(import.meta.dirname, '../docs/THREATS.md'), 'utf8')
/** STRIDE, in its order. */
const KINDS = ['S', 'T', 'R', 'I', 'D', 'E']

interface Threat {
  readonly id: string
  readonly threat: string
  readonly where: string
  readonly against: string
  /** Paths below test/, each with the name of a test. */
  readonly shown: readonly (readonly [string, string])[]
  readonly remains: string
}

function threatsOf(text: string): Threat[] {
  return text.split('\n').flatMap((line) => {
    const cells = line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim())
    const [id = '', threat = '', where = '', against = '', shown = '', remains = ''] = cells
    if (!/^\|? ?[A-Z]\d+$/.test(id) || cells.length !== 6) return []
    const tests = [...shown.matchAll(/`([^`]+?) › ([^`]+)`/g)].map(
      ([, file = '', name = '']) => [file, name] as const,
    )
    return [{ id: id.replace(/^\| ?/, ''), threat, where, against, shown: tests, remains }]
  })
}

/**
 * What is wrong with what a threat says is shown, a sentence each. @param read text of a file below
 * test/; undefined where there is none
 */
function faultsOf(
  { id, against, shown, remains }: Threat,
  read: (file: string) => string | undefined,
): string[] {
  const isLeft = /^remains: .{20,}/.test(remains)
  return [
    ...(shown.length === 0 ? [`${id} names no test.`] : []),
    ...(shown.length > 0 && against === '–'
      ? [`${id} is shown by tests, and says nothing that stands against it.`]
      : []),
    ...(remains !== '–' && !isLeft
      ? [`${id}: what remains is a dash, or “remains: ” with a reason.`]
      : []),
    ...shown.flatMap(([file, name]) => {
      const text = read(file)
      if (text === undefined) return [`${id} names ${file}, which is not there.`]
      return hasTest(text, name) ? [] : [`${id} names “${name}”, which is no test of ${file}.`]
    }),
  ]
}

describe('the threat model', () => {
  const threats = threatsOf(TEXT)

  it('names each threat once, of all six kinds, in their order', () => {
    const ids = threats.map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(60)
    const counts = KINDS.map((kind) => ids.filter((id) => id.startsWith(kind)).length)
    expect(ids).toEqual(
      KINDS.flatMap((kind, at) =>
        Array.from({ length: counts[at] ?? 0 }, (_, index) => `${kind}${index + 1}`),
      ),
    )
    for (const count of counts) expect(count).toBeGreaterThan(5)
    expect(TEXT.split('\n').filter((line) => /^\| [STRIDE]\d+ \|/.test(line))).toHaveLength(
      ids.length,
    )
  })

  it('names for each a test that is there, and says what remains and why', () => {
    expect(threats.flatMap((one) => faultsOf(one, readTestFile))).toEqual([])
  })

  it('says why no attack is run where only the sources or the build are looked at', () => {
    const isLookedAt = (file: string) =>
      !/^(attacks|crash|e2e|e2e-electron|electron|flows|interop)\//.test(file)
    const unrun = threats.filter(
      ({ shown, remains }) => remains === '–' && shown.every(([file]) => isLookedAt(file)),
    )
    expect(unrun.map(({ id }) => id)).toEqual([])
  })

  it('says of each what it is, and where', () => {
    for (const { id, threat, where, against } of threats)
      expect([id, threat.length > 10, where.length > 2, against.length > 0]).toEqual([
        id,
        true,
        true,
        true,
      ])
  })

  it('has every item of Electron’s checklist', () => {
    const items = threats.flatMap(({ shown }) =>
      shown.flatMap(([file, name]) =>
        file === 'electron/security.test.ts' ? Number.parseInt(name, 10) : [],
      ),
    )
    expect([...new Set(items)].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    )
  })

  it('would notice a test that is renamed or gone, a threat without one, and a reason that is none', () => {
    const [one] = threatsOf(
      '| S1 | somebody does it | here | a wall | `a.test.ts › stands`<br>`b.test.ts › %s holds` | – |',
    )
    expect(one).toMatchObject({
      id: 'S1',
      shown: [
        ['a.test.ts', 'stands'],
        ['b.test.ts', '%s holds'],
      ],
    })
    const files: Record<string, string> = {
      'a.test.ts': "it('stands', () => 0)",
      'b.test.ts': "it.each([1])('%s holds', () => 0)",
    }
    const faults = (threat: Partial<Threat>) =>
      faultsOf({ ...(one as Threat), ...threat }, (file) => files[file])
    expect(faults({})).toEqual([])
    expect(faults({ shown: [['a.test.ts', 'stand']] })).toEqual([
      expect.stringContaining('no test of a.test.ts'),
    ])
    expect(faults({ shown: [['c.test.ts', 'stands']] })).toEqual([
      expect.stringContaining('not there'),
    ])
    expect(faults({ shown: [] })).toEqual([expect.stringContaining('names no test')])
    expect(faults({ remains: 'remains: yes' })).toEqual([expect.stringContaining('with a reason')])
    expect(faults({ remains: 'remains: nothing can be done about the weather' })).toEqual([])
    expect(
      faults({ shown: [], remains: 'remains: nothing can be done about the weather' }),
    ).toHaveLength(1)
    expect(faults({ remains: 'nothing much' })).toEqual([expect.stringContaining('a dash')])
    expect(faults({ against: '–' })).toEqual([expect.stringContaining('says nothing that stands')])
  })
})
