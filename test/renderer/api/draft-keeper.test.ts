import { describe, expect, it } from 'vitest'
import type { Draft, SaveOutcome } from '#shared/contract/reports.ts'
import {
  type DraftKeeper,
  MAX_SAVE_DELAY_MS,
  openDraftKeeper,
  SAVE_DELAY_MS,
  type SaveFault,
} from '../../../renderer/src/api/draft-keeper.ts'

const ME = { userId: `usr_${'1'.repeat(32)}`, name: 'Ruth Adler' }
const TOM = { userId: `usr_${'2'.repeat(32)}`, name: 'Tom Berg' }
const AT = '2026-11-20T10:02:11.000Z'
const draftOf = (revision: number, text: string, savedBy = ME) =>
  ({
    reportId: `rep_${'0'.repeat(32)}`,
    isAddendum: false,
    revision,
    text,
    savedAt: AT,
    savedBy,
  }) as Draft

class Refusal extends Error {
  readonly fault: SaveFault
  constructor(fault: SaveFault) {
    super(fault.sentence)
    this.fault = fault
  }
}
const DOWN: SaveFault = { kind: 'again', sentence: 'The gateway does not answer.' }
const HELD: SaveFault = { kind: 'refused', sentence: 'Tom Berg is writing.' }

/**
 * A gateway with one study, as the contract has it: a save is of a revision, and of the window that
 * holds the report.
 */
function gatewayWith(draft: Draft | null) {
  const made: string[] = []
  const timers: { at: number; run: () => void }[] = []
  let now = 0
  const gateway = {
    draft,
    /** Calls fail by this until it is taken away. */
    fault: null as SaveFault | null,
    isHeldElsewhere: false,
    made,
    /** Resolves the saves that wait; where it is on, a save ends only by it. */
    letGo: null as (() => void) | null,
    isSlow: false,
    /** Calls are carried out, and fail all the same. */
    losesAnswers: false,
    /** The next timer fires a millisecond before its time. */
    isEarly: false,
    async pass(milliseconds: number) {
      const end = now + milliseconds
      for (;;) {
        const due = timers.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0]
        if (!due) break
        timers.splice(timers.indexOf(due), 1)
        now = due.at
        due.run()
        await settled()
      }
      now = end
      await settled()
    },
  }
  const open = (found: Draft | null): DraftKeeper =>
    openDraftKeeper(found, {
      now: () => now,
      after(milliseconds, run) {
        const timer = { at: now + milliseconds - Number(gateway.isEarly), run }
        gateway.isEarly = false
        timers.push(timer)
        return () => {
          if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1)
        }
      },
      calls: {
        async begin({ text, takeOver }) {
          made.push(`begin ${JSON.stringify(text)}${takeOver ? ' taking over' : ''}`)
          if (gateway.fault) throw new Refusal(gateway.fault)
          if (gateway.isHeldElsewhere && !takeOver) throw new Refusal(HELD)
          gateway.isHeldElsewhere = false
          gateway.draft ??= draftOf(1, text)
          return gateway.draft
        },
        async save({ revision, text, isLast }): Promise<SaveOutcome> {
          made.push(`save ${revision} ${JSON.stringify(text)}${isLast ? ' at last' : ''}`)
          if (gateway.isSlow) await new Promise<void>((resolve) => (gateway.letGo = resolve))
          if (gateway.fault) throw new Refusal(gateway.fault)
          if (gateway.isHeldElsewhere) throw new Refusal(HELD)
          if (!gateway.draft || gateway.draft.revision !== revision)
            return { outcome: 'conflict', theirs: gateway.draft as Draft }
          gateway.draft = draftOf(revision + 1, text)
          if (gateway.losesAnswers) throw new Refusal(DOWN)
          return { outcome: 'saved', revision: revision + 1, savedAt: AT }
        },
        async release({ isLast }) {
          made.push(`release${isLast ? ' at last' : ''}`)
        },
        faultOf: (error) =>
          error instanceof Refusal ? error.fault : { kind: 'refused', sentence: String(error) },
      },
    })
  const opened = (found: Draft | null = draft) => {
    const keeper = open(found)
    keeper.show()
    return keeper
  }
  return Object.assign(gateway, { opened })
}
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('a draft that is begun', () => {
  it('leaves the study as it is until something is written', async () => {
    const gateway = gatewayWith(null)
    const keeper = gateway.opened()
    await gateway.pass(60_000)
    expect(await keeper.flush()).toBe(true)
    expect(gateway.made).toEqual([])
    expect(keeper.current()).toMatchObject({ state: 'saved', revision: null, savedAt: null })
  })

  it('begins with what was written, two seconds after the last keystroke', async () => {
    const gateway = gatewayWith(null)
    const keeper = gateway.opened()
    keeper.edit('F')
    await gateway.pass(SAVE_DELAY_MS - 1)
    keeper.edit('Fi')
    await gateway.pass(SAVE_DELAY_MS - 1)
    expect(gateway.made).toEqual([])
    expect(keeper.current().state).toBe('waiting')
    await gateway.pass(1)
    expect(gateway.made).toEqual(['begin "Fi"'])
    expect(keeper.current()).toMatchObject({ state: 'saved', revision: 1, savedAt: AT })
  })

  it('saves also where the timer fires a moment early', async () => {
    const gateway = gatewayWith(null)
    const keeper = gateway.opened()
    gateway.isEarly = true
    keeper.edit('F')
    await gateway.pass(SAVE_DELAY_MS)
    expect(gateway.made).toEqual(['begin "F"'])
  })

  it('saves somebody who types on and on, too', async () => {
    const gateway = gatewayWith(null)
    const keeper = gateway.opened()
    for (let typed = 0; typed < MAX_SAVE_DELAY_MS; typed += 500) {
      keeper.edit(`${keeper.current().text}.`)
      await gateway.pass(500)
    }
    expect(gateway.made).toHaveLength(1)
  })

  it('goes on with a draft that is there: it takes the report, then saves on top of it', async () => {
    const gateway = gatewayWith(draftOf(7, 'Findings'))
    const keeper = gateway.opened()
    keeper.edit('Findings: none')
    await gateway.pass(SAVE_DELAY_MS)
    expect(gateway.made).toEqual(['begin ""', 'save 7 "Findings: none"'])
    expect(keeper.current()).toMatchObject({ state: 'saved', revision: 8 })
    keeper.edit('Findings: none.')
    await gateway.pass(SAVE_DELAY_MS)
    expect(gateway.made.at(-1)).toBe('save 8 "Findings: none."')
  })

  it('takes what the gateway kept without spaces at line ends for the same text', async () => {
    const gateway = gatewayWith(draftOf(3, 'Findings\nNone.'))
    const keeper = gateway.opened(draftOf(2, 'Findings'))
    keeper.edit('Findings  \nNone. ')
    await gateway.pass(SAVE_DELAY_MS)
    expect(keeper.current()).toMatchObject({ state: 'saved', revision: 3, theirs: null })
  })

  it('tells of a draft that somebody made meanwhile, and overwrites nothing', async () => {
    const gateway = gatewayWith(draftOf(4, 'Of Tom', TOM))
    const keeper = gateway.opened(null)
    keeper.edit('Of Ruth')
    await gateway.pass(SAVE_DELAY_MS)
    expect(keeper.current()).toMatchObject({ state: 'conflict', text: 'Of Ruth' })
    expect(keeper.current().theirs?.text).toBe('Of Tom')
    expect(gateway.draft?.text).toBe('Of Tom')
  })
})

describe('a save', () => {
  it('is one at a time: what is typed during it is in the next one', async () => {
    const gateway = gatewayWith(draftOf(1, ''))
    gateway.isSlow = true
    const keeper = gateway.opened()
    keeper.edit('a')
    await gateway.pass(SAVE_DELAY_MS)
    keeper.edit('ab')
    await gateway.pass(SAVE_DELAY_MS)
    expect(gateway.made.filter((one) => one.startsWith('save'))).toEqual(['save 1 "a"'])
    gateway.letGo?.()
    await settled()
    expect(keeper.current().state).toBe('waiting')
    await gateway.pass(SAVE_DELAY_MS)
    gateway.letGo?.()
    await settled()
    expect(gateway.made.at(-1)).toBe('save 2 "ab"')
    expect(keeper.current()).toMatchObject({ state: 'saved', revision: 3 })
  })

  it('that is waited for is of everything written by then, also what came while another was on its way', async () => {
    const gateway = gatewayWith(draftOf(1, ''))
    gateway.isSlow = true
    const keeper = gateway.opened()
    keeper.edit('a')
    await gateway.pass(SAVE_DELAY_MS)
    keeper.edit('ab')
    const flushed = keeper.flush()
    gateway.letGo?.()
    gateway.isSlow = false
    expect(await flushed).toBe(true)
    expect(gateway.draft?.text).toBe('ab')
    expect(keeper.current()).toMatchObject({ state: 'saved', revision: 3 })
  })

  it('is made again until it succeeds, says why it did not, and keeps the text', async () => {
    const gateway = gatewayWith(draftOf(1, ''))
    gateway.fault = DOWN
    const keeper = gateway.opened()
    keeper.edit('a')
    await gateway.pass(SAVE_DELAY_MS)
    expect(keeper.current()).toMatchObject({
      state: 'failing',
      fault: 'The gateway does not answer.',
      text: 'a',
    })
    keeper.edit('ab')
    expect(keeper.current().state).toBe('failing')
    await gateway.pass(30_000)
    expect(gateway.made.length).toBeGreaterThan(2)
    gateway.fault = null
    await gateway.pass(20_000)
    expect(keeper.current()).toMatchObject({ state: 'saved', fault: '' })
    expect(gateway.draft?.text).toBe('ab')
  })

  it('is not made again by itself when the session is over: the text waits for whoever signs in', async () => {
    const gateway = gatewayWith(draftOf(1, ''))
    gateway.fault = { kind: 'signed-out', sentence: 'Nobody is signed in.' }
    const keeper = gateway.opened()
    keeper.edit('a')
    await gateway.pass(60_000)
    expect(gateway.made).toHaveLength(1)
    expect(keeper.current().state).toBe('failing')
    gateway.fault = null
    keeper.signedIn()
    await settled()
    expect(keeper.current().state).toBe('saved')
    expect(gateway.draft?.text).toBe('a')
  })

  it('that was refused is over once what is saved is on the screen again', async () => {
    const gateway = gatewayWith(draftOf(1, 'a'))
    gateway.fault = { kind: 'refused', sentence: 'The text is too long.' }
    const keeper = gateway.opened()
    keeper.edit('ab')
    await gateway.pass(SAVE_DELAY_MS)
    expect(keeper.current().state).toBe('refused')
    keeper.edit('a')
    expect(keeper.current()).toMatchObject({ state: 'saved', fault: '' })
  })

  it('whose answer was lost is no conflict with oneself, and not taken for saved before it is known to be', async () => {
    const gateway = gatewayWith(draftOf(1, 'a'))
    const keeper = gateway.opened()
    keeper.edit('ab')
    gateway.losesAnswers = true
    await gateway.pass(SAVE_DELAY_MS)
    expect(gateway.draft).toMatchObject({ text: 'ab', revision: 2 })
    keeper.edit('a')
    expect(keeper.current().state).toBe('failing')
    gateway.losesAnswers = false
    await gateway.pass(60_000)
    expect(keeper.current()).toMatchObject({ state: 'saved', text: 'a' })
    expect(gateway.draft?.text).toBe('a')
  })

  it('goes out once more, without waiting, when the page is left', async () => {
    const gateway = gatewayWith(draftOf(1, ''))
    const keeper = gateway.opened()
    keeper.edit('a')
    await gateway.pass(SAVE_DELAY_MS)
    keeper.edit('ab')
    keeper.close()
    await settled()
    expect(gateway.made.at(-1)).toBe('save 2 "ab" at last')
    // The browser hides a page after it has said that it closes it: nothing may take the report
    // again.
    const { length } = gateway.made
    await keeper.flush()
    await gateway.pass(60_000)
    expect(gateway.made).toHaveLength(length)
    // A page that comes back finds out what became of it.
    keeper.show()
    await gateway.pass(SAVE_DELAY_MS)
    expect(keeper.current()).toMatchObject({ state: 'saved', text: 'ab' })
  })

  it('is made at once when its screen is left, after the one that is on its way, and then the report is let go', async () => {
    const gateway = gatewayWith(draftOf(1, ''))
    gateway.isSlow = true
    const keeper = gateway.opened()
    keeper.edit('a')
    await gateway.pass(SAVE_DELAY_MS)
    keeper.edit('ab')
    const hidden = keeper.hide()
    gateway.isSlow = false
    gateway.letGo?.()
    await hidden
    expect(gateway.made).toEqual(['begin ""', 'save 1 "a"', 'save 2 "ab"', 'release'])
  })

  it('is made again after its screen was left, until it succeeds', async () => {
    const gateway = gatewayWith(draftOf(1, ''))
    gateway.fault = DOWN
    const keeper = gateway.opened()
    keeper.edit('a')
    await keeper.hide()
    expect(keeper.current().state).toBe('failing')
    gateway.fault = null
    await gateway.pass(60_000)
    expect(gateway.draft?.text).toBe('a')
    expect(gateway.made.at(-1)).toBe('release')
  })

  it('leaves nothing in memory once the draft is forgotten', async () => {
    const gateway = gatewayWith(draftOf(1, 'of Ruth'))
    gateway.fault = { kind: 'signed-out', sentence: 'Nobody is signed in.' }
    const keeper = gateway.opened()
    keeper.edit('of Ruth, too')
    await gateway.pass(SAVE_DELAY_MS)
    keeper.forget()
    gateway.fault = null
    keeper.signedIn()
    await gateway.pass(60_000)
    expect(JSON.stringify(keeper.current())).not.toContain('Ruth')
    expect(gateway.draft?.text).toBe('of Ruth')
  })
})

describe('two windows', () => {
  async function inConflict() {
    const gateway = gatewayWith(draftOf(1, 'in progress'))
    const keeper = gateway.opened()
    keeper.edit('begun stored here')
    await gateway.pass(SAVE_DELAY_MS)
    gateway.draft = draftOf(5, 'begun there', TOM)
    keeper.edit('begun here and on')
    await gateway.pass(SAVE_DELAY_MS)
    return { gateway, keeper }
  }

  it('stop at a conflict, with both texts, and save nothing until a person chooses', async () => {
    const { gateway, keeper } = await inConflict()
    expect(keeper.current()).toMatchObject({ state: 'conflict', text: 'begun here and on' })
    expect(keeper.current().theirs).toMatchObject({ revision: 5, text: 'begun there' })
    keeper.edit('begun here and on and on')
    await gateway.pass(60_000)
    expect(await keeper.flush()).toBe(false)
    expect(gateway.draft).toMatchObject({ revision: 5, text: 'begun there' })
  })

  it('keep mine as the revision after theirs', async () => {
    const { gateway, keeper } = await inConflict()
    expect(await keeper.keepMine()).toBe(true)
    expect(gateway.draft).toMatchObject({ revision: 6, text: 'begun here and on' })
    expect(keeper.current()).toMatchObject({ state: 'saved', theirs: null })
  })

  it('or take theirs into the editor', async () => {
    const { gateway, keeper } = await inConflict()
    const { loads } = keeper.current()
    keeper.takeTheirs()
    expect(keeper.current()).toMatchObject({ state: 'saved', text: 'begun there', revision: 5 })
    expect(keeper.current().loads).toBeGreaterThan(loads)
    expect(gateway.draft?.revision).toBe(5)
  })

  it('are no conflict where both have the same text', async () => {
    const gateway = gatewayWith(draftOf(1, 'a'))
    const keeper = gateway.opened()
    keeper.edit('ab')
    await gateway.pass(SAVE_DELAY_MS)
    gateway.draft = draftOf(9, 'abc', TOM)
    keeper.edit('abc')
    await gateway.pass(SAVE_DELAY_MS)
    expect(keeper.current()).toMatchObject({ state: 'saved', revision: 9 })
  })

  it('say who holds the report, keep the text here, and save it after taking over', async () => {
    const gateway = gatewayWith(draftOf(1, 'a'))
    gateway.isHeldElsewhere = true
    const keeper = gateway.opened()
    keeper.edit('ab')
    await gateway.pass(60_000)
    expect(gateway.made).toEqual(['begin ""'])
    expect(keeper.current()).toMatchObject({
      state: 'refused',
      fault: 'Tom Berg is writing.',
      text: 'ab',
    })
    await keeper.takeOver()
    expect(gateway.draft).toMatchObject({ revision: 2, text: 'ab' })
    expect(keeper.current().state).toBe('saved')
  })

  it('put both texts before whoever takes over a report that was written on', async () => {
    const gateway = gatewayWith(draftOf(3, 'theirs', TOM))
    gateway.isHeldElsewhere = true
    const keeper = gateway.opened(draftOf(2, 'in progress'))
    keeper.edit('mine')
    await gateway.pass(SAVE_DELAY_MS)
    await keeper.takeOver()
    expect(keeper.current()).toMatchObject({
      state: 'conflict',
      text: 'mine',
      theirs: { text: 'theirs' },
    })
  })

  it('show what the other one saved, where nothing waits stored here', async () => {
    const gateway = gatewayWith(draftOf(1, 'a'))
    const keeper = gateway.opened()
    keeper.follow(draftOf(2, 'of Tom', TOM))
    expect(keeper.current()).toMatchObject({ text: 'of Tom', revision: 2, state: 'saved' })
    keeper.edit('of Tom and Ruth')
    keeper.follow(draftOf(3, 'of Tom again', TOM))
    expect(keeper.current().text).toBe('of Tom and Ruth')
    keeper.follow(draftOf(1, 'a'))
    expect(keeper.current().revision).toBe(2)
  })

  it('show another draft that took the place of theirs, though its revision is the same, and never save over it', async () => {
    const gateway = gatewayWith(draftOf(1, 'a'))
    const keeper = gateway.opened()
    const another = { ...draftOf(1, 'begun anew', TOM), reportId: `rep_${'9'.repeat(32)}` } as Draft
    keeper.edit('ab')
    gateway.draft = another
    await gateway.pass(SAVE_DELAY_MS)
    expect(keeper.current()).toMatchObject({ state: 'conflict', text: 'ab', theirs: another })
    keeper.takeTheirs()
    expect(keeper.current()).toMatchObject({ text: 'begun anew', reportId: another.reportId })
    keeper.follow(draftOf(1, 'a'))
    expect(keeper.current()).toMatchObject({ text: 'a', state: 'saved' })
  })

  it('go on after a refusal once it is over', async () => {
    const gateway = gatewayWith(draftOf(1, 'a'))
    gateway.isHeldElsewhere = true
    const keeper = gateway.opened()
    keeper.edit('ab')
    await gateway.pass(SAVE_DELAY_MS)
    gateway.isHeldElsewhere = false
    expect(await keeper.retry()).toBe(true)
    expect(gateway.draft?.text).toBe('ab')
  })
})
