import type * as E from 'electron'
import { Hearing } from './hearing.ts'

class Screen extends Hearing<E.Screen> {
  displays: Pick<E.Display, 'id' | 'bounds' | 'workArea' | 'scaleFactor'>[] = [
    display(0, 0, 1920, 1080),
  ]
  getAllDisplays(): Pick<E.Display, 'id' | 'bounds' | 'workArea' | 'scaleFactor'>[] {
    return this.displays
  }
}

/** One with a task bar of 40 pixels at its foot. */
export function display(x: number, y: number, width: number, height: number, scaleFactor = 1) {
  return {
    id: x * 10_000 + y,
    bounds: { x, y, width, height },
    workArea: { x, y, width, height: height - 40 },
    scaleFactor,
  }
}
export const screen = new Screen()
