export interface Costs {
  readonly receive: { readonly perInstanceMs: number; readonly perMbMs: number }
  readonly forward: { readonly perInstanceMs: number; readonly perMbMs: number }
  readonly perInstanceDatabaseBytes: number
  readonly perStudyDatabaseBytes: number
}
export interface Site {
  readonly studies: Readonly<Record<string, number>>
  readonly curve: readonly number[]
  readonly forwards: boolean
  readonly lineMbits: number
  readonly diskGb: number
  readonly keepDays: number
  readonly isAroundTheClock: boolean
}
export interface SiteLoad {
  readonly studies: number
  readonly instances: number
  readonly bytes: number
  readonly peakCpu: number
  readonly peakNetwork: number
  readonly daysOnDisk: number
}
export interface SimulatedDay {
  readonly longestWait: number
  readonly busiestHour: number
}
export function fitted(rows: readonly { readonly bytes: number; readonly cpuMs: number }[]): {
  perInstanceMs: number
  perMbMs: number
}
export function siteLoad(costs: Costs, site: Site): SiteLoad
export function randomOf(seed: number): () => number
export function simulatedDay(costs: Costs, site: Site, random: () => number): SimulatedDay
export function adviceFor(load: SiteLoad, day: SimulatedDay, site: Site): string[]
