/** What the admin API needs of the ledger. */
export type AccountCredit = {
  readonly kind: 'prepaid' | 'postpaid' | 'unlimited';
  readonly creditNano: bigint;
  readonly spentNano: bigint;
  readonly heldNano: bigint;
  readonly overdraftNano: bigint;
};

export type AccountBudget = {
  readonly scope: string;
  readonly span: 'day' | 'month' | 'total';
  readonly mostNano: bigint;
  readonly spentNano: bigint;
  readonly heldNano: bigint;
};

export interface CreditPort {
  credit(accountId: string): Promise<AccountCredit>;
  /** False, and nothing changed, where less is free than is to be paid out. */
  deposit(of: {
    readonly accountId: string;
    readonly id: string;
    readonly nano: bigint;
    readonly memo: string;
  }): Promise<boolean>;
  budgets(accountId: string): Promise<readonly AccountBudget[]>;
  setBudget(accountId: string, scope: string, span: 'day' | 'month' | 'total', nano: bigint): Promise<void>;
}
