import { describe, expect, it } from 'vitest'
import type { Exam } from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import {
  hoursOf,
  lanesOf,
  minutesOf,
  roomsOf,
  timelineOf,
  upcomingExams,
} from '../../../../renderer/src/features/dashboard/exam-groups.ts'

const CT = { deviceId: 'a', aeTitle: 'CT1', name: 'CT, room 1', isEnabled: true } as Device
const MR = { deviceId: 'b', aeTitle: 'MR1', name: '', isEnabled: true } as Device
const sentTo = (
  { deviceId, aeTitle, name }: Device,
  sentAt: string | null = '2026-03-10T08:00:00Z',
) => ({ deviceId, aeTitle, name, isOnList: true, sentAt, withheld: null }) as const

const exam = (startTime: string, more: Partial<Exam> = {}): Exam =>
  ({
    studyInstanceUid: `1.2.${startTime}`,
    scheduledProcedureStepId: 'S1',
    startTime,
    location: '',
    state: 'scheduled',
    remarks: [],
    devices: [],
    ...more,
  }) as unknown as Exam

describe('the rooms of today', () => {
  it('have the exams that their device was sent, the fullest room first', () => {
    const one = exam('0900', { devices: [sentTo(MR)] })
    const both = exam('1000', { devices: [sentTo(CT), sentTo(MR)] })
    const { rooms, unsent } = roomsOf([one, both], [CT, MR])
    expect(rooms).toEqual([
      { device: MR, exams: [one, both] },
      { device: CT, exams: [both] },
    ])
    expect(unsent).toEqual([])
  })

  it('list apart what no device was sent and still has to be done', () => {
    const withheld = exam('0900', { devices: [sentTo(CT, null)] })
    const done = exam('0930', { state: 'closed' })
    const waiting = exam('1000')
    expect(roomsOf([withheld, done, waiting], [CT]).unsent).toEqual([withheld, waiting])
  })

  it('leave out devices that are switched off', () => {
    const { rooms, unsent } = roomsOf(
      [exam('0900', { devices: [sentTo(CT)] })],
      [{ ...CT, isEnabled: false }],
    )
    expect([rooms, unsent.length]).toEqual([[], 1])
  })

  it('show what has begun before what comes next, and nothing that is over', () => {
    const next = exam('0900')
    const begun = exam('0930', { state: 'started' })
    const over = exam('0800', { state: 'completed' })
    expect(upcomingExams([over, next, begun])).toEqual([begun, next])
  })
})

describe('the schedule by room', () => {
  it('names a room by the partner’s location, else by the device; without either it is last', () => {
    const located = exam('0900', { location: 'Room 7', devices: [sentTo(CT)] })
    const ofDevice = exam('0930', { devices: [sentTo(CT)] })
    const ofTitle = exam('0940', { devices: [sentTo(MR)] })
    const nowhere = exam('0950')
    expect(timelineOf([nowhere, located, ofDevice, ofTitle])).toEqual([
      { room: 'CT, room 1', exams: [ofDevice] },
      { room: 'MR1', exams: [ofTitle] },
      { room: 'Room 7', exams: [located] },
      { room: '', exams: [nowhere] },
    ])
  })

  it('leaves out exams without a start time', () => {
    expect(timelineOf([exam('')])).toEqual([])
  })

  it('puts exams that overlap into lanes of their own, and uses a lane again', () => {
    const slots = lanesOf([exam('0900'), exam('0930'), exam('1000')])
    expect(slots.map(({ start, lane }) => [start, lane])).toEqual([
      [540, 0],
      [570, 1],
      [600, 0],
    ])
  })

  it('shows 8 to 18 o’clock, and more where exams are earlier or later', () => {
    expect(hoursOf([])).toEqual({ from: 8, to: 18 })
    expect(hoursOf([exam('063000'), exam('1930')])).toEqual({ from: 6, to: 21 })
  })

  it.each([
    ['0000', 0],
    ['093059', 570],
    ['', null],
    ['9', null],
  ])('reads the DICOM time %o', (time, minutes) => {
    expect(minutesOf(time)).toBe(minutes)
  })
})
