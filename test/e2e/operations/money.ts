// Amounts are whole cents. They are converted to reais only for display.

const reais = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });

/** An amount for display, such as R$ 12,34. */
export function formatCents(cents: number): string {
  return reais.format(cents / 100);
}
