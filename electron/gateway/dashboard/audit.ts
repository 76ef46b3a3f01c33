import type { DashboardDeps } from './deps.ts'
import type { DashboardHandlers } from './handlers.ts'

export const auditHandlers = ({ store }: Pick<DashboardDeps, 'store'>): Pick<DashboardHandlers, 'audit'> => ({
  audit({ query }) {
    const { items, ...rest } = store.audit.list(query)
    return { entries: items, ...rest }
  },
})
