import type { Exam } from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'

/** Whether nothing more happens with an exam today. */
export const isOver = ({ state }: Pick<Exam, 'state'>): boolean =>
  state === 'completed' || state === 'closed' || state === 'gone'

/** Exams that are still to be done, those that have begun first, then by start time. */
export const upcomingExams = (exams: readonly Exam[]): readonly Exam[] => {
  const open = exams.filter((exam) => !isOver(exam))
  const hasBegun = ({ state }: Exam) => state === 'started' || state === 'images'
  return [...open.filter(hasBegun), ...open.filter((exam) => !hasBegun(exam))]
}

/** The device that an exam is probably meant for: one in use, of its modality if there is one. */
export function deviceFor(
  { modality }: Pick<Exam, 'modality'>,
  devices: readonly Device[],
): Device | undefined {
  const enabledDevices = devices.filter(({ isEnabled }) => isEnabled)
  return enabledDevices.find((device) => device.modality === modality) ?? enabledDevices[0]
}

interface RoomExams {
  readonly device: Device
  readonly exams: readonly Exam[]
}

/**
 * Devices in use with the exams that they were sent, the fullest room first, and the exams that no
 * device has. An exam that several devices have is in each of their rooms.
 */
export function roomsOf(
  exams: readonly Exam[],
  devices: readonly Device[],
): { readonly rooms: readonly RoomExams[]; readonly unsent: readonly Exam[] } {
  const rooms = devices
    .filter(({ isEnabled }) => isEnabled)
    .map((device) => ({
      device,
      exams: exams.filter((exam) =>
        exam.devices.some(
          ({ deviceId, sentAt }) => deviceId === device.deviceId && sentAt !== null,
        ),
      ),
    }))
    .toSorted((a, b) => b.exams.length - a.exams.length)
  const isInRoom = (exam: Exam) => rooms.some((room) => room.exams.includes(exam))
  return { rooms, unsent: exams.filter((exam) => !isInRoom(exam) && !isOver(exam)) }
}

/** Minutes since midnight of a DICOM time (`HHMM…`); null where there is none. */
export function minutesOf(time: string): number | null {
  const [, hours, minutes] = /^(\d\d)(\d\d)/.exec(time) ?? []
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes)
}

/** Width of an exam in the timeline. Worklists carry no duration; an hour leaves room for a name. */
export const EXAM_MINUTES = 60

interface TimelineRow {
  /** Name of the room; empty where neither the partner nor a device names one. */
  readonly room: string
  readonly exams: readonly Exam[]
}

/**
 * Rows of the timeline: the exams with a start time of each room, which is the partner's location
 * or else the device that has the exam; rooms by name, exams without a room last.
 */
export function timelineOf(exams: readonly Exam[]): readonly TimelineRow[] {
  const rooms = new Map<string, Exam[]>()
  for (const exam of exams.filter(({ startTime }) => minutesOf(startTime) !== null)) {
    const sent = exam.devices.find(({ sentAt }) => sentAt !== null)
    const room = exam.location || sent?.name || sent?.aeTitle || ''
    rooms.set(room, [...(rooms.get(room) ?? []), exam])
  }
  const last = (room: string) => Number(room === '')
  return [...rooms]
    .map(([room, ofRoom]) => ({ room, exams: ofRoom }))
    .toSorted((a, b) => last(a.room) - last(b.room) || a.room.localeCompare(b.room))
}

interface Slot {
  readonly exam: Exam
  /** Minutes since midnight. */
  readonly start: number
  /** Exams that overlap are in lanes below each other, from 0. */
  readonly lane: number
}

/** Places the exams of a room so that no two cover each other. */
export function lanesOf(exams: readonly Exam[]): readonly Slot[] {
  const ends: number[] = []
  return exams
    .map((exam) => ({ exam, start: minutesOf(exam.startTime) ?? 0 }))
    .toSorted((a, b) => a.start - b.start)
    .map(({ exam, start }) => {
      const freeLane = ends.findIndex((end) => end <= start)
      const lane = freeLane < 0 ? ends.length : freeLane
      ends[lane] = start + EXAM_MINUTES
      return { exam, start, lane }
    })
}

/** The hours that the timeline shows: 8 to 18, and more where exams are earlier or later. */
export function hoursOf(exams: readonly Exam[]): { readonly from: number; readonly to: number } {
  const starts = exams.map(({ startTime }) => minutesOf(startTime)).filter((one) => one !== null)
  return {
    from: Math.floor(Math.min(8 * 60, ...starts) / 60),
    to: Math.ceil(Math.max(18 * 60, ...starts.map((start) => start + EXAM_MINUTES)) / 60),
  }
}
