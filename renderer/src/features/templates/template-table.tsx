import { Group, Table, Text } from '@mantine/core'
import { IconCopy, IconPencil, IconTrash } from '@tabler/icons-react'
import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import { useMayManage, useSession } from '../../api/session.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { TimeAgo } from '../../ui/clock.tsx'
import { IconAction } from '../../ui/icon-act.tsx'
import { RowTable } from '../../ui/row-table.tsx'
import { scopeText } from './scope.ts'
import css from './templates.module.css'

const COLUMNS = textsOf(
  'ui.templates.columns',
  ...(['name', 'shortcut', 'scope', 'owner', 'changed', 'actions'] as const),
)

interface TemplateActions {
  readonly onEdit: (template: ReportTemplate) => void
  readonly onCopy: (template: ReportTemplate) => void
  readonly onRemove: (template: ReportTemplate) => void
}

/** The templates, each with what may be done with it. */
export function TemplateTable({
  templates,
  ...acts
}: { templates: readonly ReportTemplate[] } & TemplateActions) {
  return (
    <RowTable columns={COLUMNS} minWidth={760}>
      {templates.map((template) => (
        <Row key={template.templateId} template={template} {...acts} />
      ))}
    </RowTable>
  )
}

function Row({
  template,
  onEdit,
  onCopy,
  onRemove,
}: { template: ReportTemplate } & TemplateActions) {
  const me = useSession().data?.user
  const mayManage = useMayManage()
  const { name, kind, shortcut, owner, text, updatedAt } = template
  const mayChange = owner === null ? mayManage : owner.userId === me?.userId
  return (
    <Table.Tr>
      <Table.Td>
        <b>{name}</b> <span className={css.quiet}>{t(`ui.templates.kinds.${kind}`)}</span>
        <Text fz="sm" c="dimmed" className={css.beginning}>
          {text}
        </Text>
      </Table.Td>
      <Table.Td>{shortcut && <span className="mono">{shortcut}</span>}</Table.Td>
      <Table.Td>{scopeText(template)}</Table.Td>
      <Table.Td>
        {owner === null
          ? t('ui.templates.everybody')
          : owner.userId === me?.userId
            ? t('ui.templates.mine')
            : owner.name}
      </Table.Td>
      <Table.Td>
        <TimeAgo instant={updatedAt} />
      </Table.Td>
      <Table.Td>
        <Group gap={2} justify="flex-end" wrap="nowrap">
          {mayChange && (
            <IconAction
              icon={IconPencil}
              label={t('ui.templates.edit', { name })}
              onClick={() => onEdit(template)}
            />
          )}
          <IconAction
            icon={IconCopy}
            label={t('ui.templates.copy', { name })}
            onClick={() => onCopy(template)}
          />
          {mayChange && (
            <IconAction
              icon={IconTrash}
              label={t('ui.templates.remove', { name })}
              onClick={() => onRemove(template)}
            />
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}
