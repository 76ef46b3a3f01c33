import type { Costs, SimulatedDay, Site, SiteLoad } from './model.mjs'

export function simulatedSites(
  costs: Costs,
  seed?: number,
): { site: Site; load: SiteLoad; worst: SimulatedDay; advice: string[] }[]
export function withTables(text: string, costs: Costs): string
