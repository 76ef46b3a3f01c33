import { Button, type ButtonProps } from '@mantine/core'
import type { ComponentPropsWithoutRef, MouseEvent } from 'react'
import { may, type Permission } from '#shared/lifecycle.ts'
import { useSession } from '../api/session.ts'
import { linkedViewId } from '../api/shared-study.ts'
import { useCutOffSince } from '../api/status.ts'
import { t } from '../i18n/t.ts'
import { Tooltip } from './tooltip.tsx'

/** Who came by a link for dictation reads and writes its report, and nothing else. */
const LINK_PERMISSIONS: readonly Permission[] = ['readStudies', 'writeReports']

/** Whether this person may do something, and who can allow it where they may not. */
export function usePermission(permission: Permission): {
  readonly may: boolean
  readonly why: string
} {
  const user = useSession().data?.user
  const isAllowed =
    user != null &&
    (linkedViewId === null ? may(user, permission) : LINK_PERMISSIONS.includes(permission))
  return { may: isAllowed, why: isAllowed ? '' : t(`ui.common.mayNot.${permission}`) }
}

type ButtonAttributes = Omit<
  ComponentPropsWithoutRef<'button'>,
  keyof ButtonProps | 'color' | 'style'
>

/**
 * A button that changes something. Where it may not be pressed it is there all the same, and says
 * why.
 */
export function PermissionButton(
  props: ButtonProps & ButtonAttributes & { permission: Permission },
) {
  const { permission, onClick, type = 'button', ...rest } = props
  const { why } = usePermission(permission)
  const isCutOff = useCutOffSince() !== null
  const reason = why || (isCutOff ? t('ui.common.cutOff') : '')
  if (!reason) return <Button {...rest} type={type} onClick={onClick} />
  return (
    <Tooltip label={reason} isOnFocus>
      <Button
        {...rest}
        type="button"
        data-disabled
        aria-disabled
        aria-description={reason}
        onClick={(event: MouseEvent) => event.preventDefault()}
      />
    </Tooltip>
  )
}
