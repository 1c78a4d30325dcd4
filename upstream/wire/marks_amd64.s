#include "textflag.h"

// MARK adds the marks of 16 bytes, at an offset in the block, to stop (R8) and high (R9).
// A byte is a control character where the lesser of it and 0x1f is itself.
#define MARK(offset) \
	MOVOU offset(SI), X0    \
	MOVOA X0, X1            \
	PCMPEQB X8, X1          \
	MOVOA X0, X2            \
	PCMPEQB X9, X2          \
	MOVOA X0, X3            \
	PMINUB X10, X3          \
	PCMPEQB X0, X3          \
	POR X2, X1              \
	POR X3, X1              \
	PMOVMSKB X1, AX         \
	PMOVMSKB X0, BX         \
	SHLQ $offset, AX        \
	SHLQ $offset, BX        \
	ORQ AX, R8              \
	ORQ BX, R9

// func markBlocks(to *mark, from *byte, blocks int)
TEXT ·markBlocks(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ blocks+16(FP), CX
	MOVQ $0x2222222222222222, AX // quotes
	MOVQ AX, X8
	PUNPCKLQDQ X8, X8
	MOVQ $0x5c5c5c5c5c5c5c5c, AX // backslashes
	MOVQ AX, X9
	PUNPCKLQDQ X9, X9
	MOVQ $0x1f1f1f1f1f1f1f1f, AX // the last of the control characters
	MOVQ AX, X10
	PUNPCKLQDQ X10, X10

loop:
	TESTQ CX, CX
	JZ done
	XORL R8, R8
	XORL R9, R9
	MARK(0)
	MARK(16)
	MARK(32)
	MARK(48)
	MOVQ R8, 0(DI)
	MOVQ R9, 8(DI)
	ADDQ $64, SI
	ADDQ $16, DI
	DECQ CX
	JMP loop

done:
	RET
