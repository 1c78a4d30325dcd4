// Amounts are whole cents. They become reais where they are shown, and nowhere before.

const reais = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });

/** An amount as people read it, such as R$ 12,34. */
export function formatCents(cents: number): string {
  return reais.format(cents / 100);
}
