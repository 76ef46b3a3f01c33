import { describe, expect, it } from 'vitest'
import { IDENTITY_FIELDS } from '#shared/contract/images.ts'
import { verbatim } from '#shared/messages/message.ts'
import {
  arrivalOf,
  IDENTITY_NAMES,
  imageCountText,
  sexText,
  shareOf,
  studyTitle,
} from '../../../renderer/src/format/image-states.ts'

const now = new Date('2026-11-20T11:00:00.000Z')
const at = '2026-11-20T09:42:07.000Z'
const released = { how: 'released' as const, detail: null, at }
const aborted = {
  how: 'aborted' as const,
  detail: verbatim('the device closed the connection'),
  at,
}
const arrival = (study: Partial<Parameters<typeof arrivalOf>[0]>) =>
  arrivalOf(
    {
      state: 'complete',
      instances: 127,
      expected: 180,
      missing: 53,
      lastTransfer: released,
      ...study,
    },
    'Europe/Berlin',
    now,
  )

describe('how a study arrives', () => {
  it('is said in one badge: what is missing, and that the transfer broke off, by the clinic’s clock', () => {
    expect(arrival({ state: 'incomplete', lastTransfer: aborted })).toMatchObject({
      tone: 'warning',
      name: 'Incomplete: 53 missing, transfer interrupted 10:42:07',
    })
    expect(arrival({ state: 'incomplete' }).name).toBe('Incomplete: 53 missing')
    expect(
      arrival({ state: 'incomplete', expected: null, missing: 0, lastTransfer: aborted }).name,
    ).toBe('Incomplete: transfer interrupted 10:42:07')
  })

  it('does not stay calm about a transfer that broke off while images are still awaited', () => {
    expect(
      arrival({ state: 'receiving', lastTransfer: { how: 'open', detail: null, at } }),
    ).toMatchObject({
      tone: 'info',
      name: 'Receiving',
    })
    expect(arrival({ state: 'receiving', lastTransfer: aborted })).toMatchObject({
      tone: 'warning',
      name: 'Receiving, transfer interrupted 10:42:07',
    })
  })

  it('calls a study complete without a claim that nothing announced', () => {
    expect(arrival({ instances: 180, missing: 0 }).meaning).toBe(
      'All images announced by the device have been received.',
    )
    expect(arrival({ expected: null, missing: 0 }).meaning).toContain(
      'missing images cannot be detected',
    )
  })

  it('does not call a study complete of which nothing was kept in it', () => {
    expect(arrival({ instances: 0, expected: null, missing: 0 })).toMatchObject({
      tone: 'plain',
      name: 'No images',
    })
  })
})

describe('the count of images', () => {
  it('stands beside what was announced', () => {
    expect(imageCountText({ instances: 127, expected: 180 })).toBe('127 / 180')
    expect(imageCountText({ instances: 1240, expected: null })).toBe('1,240')
    expect(imageCountText({ instances: 185, expected: 180 })).toBe('185 (180 announced)')
  })

  it('never reaches 100 % while one is missing', () => {
    expect(shareOf({ expected: 180, missing: 53 })).toBe(70)
    expect(shareOf({ expected: 1000, missing: 1 })).toBe(99)
    expect(shareOf({ expected: 1000, missing: 0 })).toBe(100)
    expect(shareOf({ expected: 10, missing: 12 })).toBe(0)
    expect(shareOf({ expected: null, missing: 0 })).toBeNull()
    expect(shareOf({ expected: 0, missing: 0 })).toBeNull()
  })
})

it('titles a study without its patient', () => {
  expect(studyTitle({ modalities: ['CT', 'SR'], studyDate: '20261120' })).toBe(
    'CT, SR study, 20 Nov 2026',
  )
  expect(studyTitle({ modalities: [], studyDate: '' })).toBe('Study')
})

it('has a word for every field that a mismatch compares, and for the sexes of DICOM', () => {
  expect(IDENTITY_FIELDS.map((field) => IDENTITY_NAMES[field])).toEqual([
    'Patient',
    'Patient ID',
    'Date of birth',
    'Sex',
    'Accession',
    'Study UID',
  ])
  expect(['M', 'F ', 'O', 'X', ''].map(sexText)).toEqual(['male', 'female', 'other', 'X', ''])
})
