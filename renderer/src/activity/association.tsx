export function AssociationScreen() {
  return null
}
