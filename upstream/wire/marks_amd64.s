#include "textflag.h"

// MARK32 computes the marks of 32 bytes, at an offset in the block, into two registers.
#define MARK32(offset, stop, high) \
	VMOVDQU offset(SI), Y0  \
	VPCMPEQB Y8, Y0, Y1     \
	VPCMPEQB Y9, Y0, Y2     \
	VPMINUB Y10, Y0, Y3     \
	VPCMPEQB Y0, Y3, Y3     \
	VPOR Y2, Y1, Y1         \
	VPOR Y3, Y1, Y1         \
	VPMOVMSKB Y1, stop      \
	VPMOVMSKB Y0, high

// A byte is a control character if the minimum of the byte and 0x1f is the byte itself.
//
// func markBlocksAVX2(to *mark, from *byte, blocks int)
TEXT ·markBlocksAVX2(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ blocks+16(FP), CX
	MOVL $0x22, AX // quotes
	MOVQ AX, X8
	VPBROADCASTB X8, Y8
	MOVL $0x5c, AX // backslashes
	MOVQ AX, X9
	VPBROADCASTB X9, Y9
	MOVL $0x1f, AX // the last of the control characters
	MOVQ AX, X10
	VPBROADCASTB X10, Y10

loop:
	TESTQ CX, CX
	JZ done
	MARK32(0, R8, R9)
	MARK32(32, AX, BX)
	SHLQ $32, AX
	SHLQ $32, BX
	ORQ AX, R8
	ORQ BX, R9
	MOVQ R8, 0(DI)
	MOVQ R9, 8(DI)
	ADDQ $64, SI
	ADDQ $16, DI
	DECQ CX
	JMP loop

done:
	VZEROUPPER
	RET
