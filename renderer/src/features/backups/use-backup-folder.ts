import { useEffect } from 'react'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import type { Operation } from '#shared/operation.ts'
import { useSend } from '../../api/queries.ts'
import { useContractForm } from '../../ui/use-contract-form.ts'

/**
 * The field for the folder in which backups are kept. @param changes calls whose replies are asked
 * again once it is another one
 */
export function useBackupFolder(folder: string | null, changes: readonly Operation[]) {
  const use = useSend(dashboardSetup.setBackupFolder, changes)
  const { form, submit } = useContractForm({
    operation: dashboardSetup.setBackupFolder,
    initialValues: { folder: folder ?? '' },
    bodyOf: (values) => values,
    send: (body, onError) => use.mutate({ body }, { onError }),
  })
  const { setValues, resetDirty } = form
  // Chosen in another window, or by the command line.
  useEffect(() => {
    setValues({ folder: folder ?? '' })
    resetDirty({ folder: folder ?? '' })
  }, [folder, setValues, resetDirty])
  return { use, form, submit }
}
