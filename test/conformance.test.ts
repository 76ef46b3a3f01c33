import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { basicWorklist } from '#gateway/dimse/basic-worklist.ts'
import { DEFAULT_LIMITS } from '#gateway/dimse/limits.ts'
import { STATUS } from '#gateway/dimse/status.ts'
import { IMPLEMENTATION, nameOfUid, SOP_CLASS } from '#gateway/dimse/uids.ts'
import { FAULTS } from '#gateway/worklist/faults.ts'
import { CHARACTER_SETS } from '#shared/contract/devices.ts'

const statement = readFileSync(new URL('../docs/CONFORMANCE.md', import.meta.url), 'utf8')
const rows = [...statement.matchAll(/^\| (.+) \|$/gm)].map((line) => (line[1] ?? '').split(' | '))

it('states the UIDs of the code', () => {
  for (const uid of [SOP_CLASS.verification, SOP_CLASS.modalityWorklistFind]) expect(rows.map((row) => row[1])).toContain(uid)
  expect(nameOfUid(SOP_CLASS.modalityWorklistFind)).toBe('Modality Worklist')
  const { transferSyntaxes } = basicWorklist({ find: () => Promise.reject(new Error('not asked')) as never })
  expect(rows.flatMap((row) => (row[1]?.startsWith('1.2.840.10008.1.2') ? [row[1]] : []))).toEqual(transferSyntaxes)
  expect(statement).toContain(`${IMPLEMENTATION.classUid} / ${IMPLEMENTATION.versionName}`)
})

it('states each final status the worklist can send, in the words of the table', () => {
  const stated = Object.fromEntries(
    rows.flatMap(([code = '', meaning = '']) => (/^[0-9A-F]{4}$/.test(code) ? [[Number.parseInt(code, 16), meaning]] : [])),
  )
  for (const [code, meaning] of Object.entries(stated)) expect(STATUS[Number(code)]?.meaning, code).toBe(meaning)
  const sent = [...Object.values(FAULTS).map(({ status }) => status), 0x0000, 0xa900, 0xc003, 0xfe00, 0x0122, 0x0211]
  expect(Object.keys(stated).map(Number).sort()).toEqual([...new Set(sent)].sort())
})

it('states the limits and character sets of the code', () => {
  expect(statement).toContain(`announced | ${DEFAULT_LIMITS.maxPduLength};`)
  expect(statement).toContain(
    `associations at once | ${DEFAULT_LIMITS.associations}, of one device ${DEFAULT_LIMITS.associationsPerCaller}`,
  )
  expect(statement).toContain(
    `ARTIM timer | ${DEFAULT_LIMITS.artimSeconds} s; silence within an association: ${DEFAULT_LIMITS.idleSeconds} s`,
  )
  const numbers = (text: string) => text.match(/\d+/g) ?? []
  const answers = /Answers: per device one of ([^.]+)\./.exec(statement.replaceAll('\n', ' '))?.[1] ?? ''
  expect(
    numbers(answers)
      .filter((number) => number !== '2022')
      .sort(),
  ).toEqual(CHARACTER_SETS.flatMap((set) => numbers(set.replace('2022', ''))).sort())
})
