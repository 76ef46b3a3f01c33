import { useForm } from '@mantine/form'
import { useEffect } from 'react'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import type { Operation } from '#shared/operation.ts'
import { faultsByField } from '../../api/client.ts'
import { useSend } from '../../api/queries.ts'

/**
 * The field for the folder in which backups are kept. @param changes calls whose replies are asked
 * again once it is another one
 */
export function useBackupFolder(folder: string | null, changes: readonly Operation[]) {
  const use = useSend(dashboardSetup.setBackupFolder, changes)
  const form = useForm({ initialValues: { folder: folder ?? '' } })
  const { setFieldValue } = form
  // Chosen in another window, or by the command line.
  useEffect(() => setFieldValue('folder', folder ?? ''), [folder, setFieldValue])
  const submit = form.onSubmit((body) =>
    use.mutate({ body }, { onError: (error) => form.setErrors(faultsByField(error)) }),
  )
  return { use, form, submit }
}
