//! Networks of well-known shapes, to see what a platform makes of graphs that are larger than a vector.
//!
//! They are drawn from the papers' descriptions, without their weights: those are hollow constants, so that a network of
//! any size can be built without its data.

use std::cell::RefCell;

use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::exception::Result;
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::MLOperatorOptions;
use webnn_reference::ops::clamp::MLClampOptions;
use webnn_reference::ops::conv2d::MLConv2dOptions;
use webnn_reference::ops::layernormalization::MLLayerNormalizationOptions;
use webnn_reference::ops::pool2d::MLPool2dOptions;
use webnn_reference::ops::split::{MLSplitOptions, Splits};
use webnn_reference::ops::transpose::MLTransposeOptions;

/// A network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// The encoder of BERT (Devlin et al. 2018): attention, layer normalization, a perceptron with gelu.
    Bert,
    /// `MobileNetV2` (Sandler et al. 2018): inverted residual blocks with depthwise convolutions.
    MobileNet,
    /// `ResNet-50` (He et al. 2015): bottleneck blocks around which the input is passed.
    ResNet,
    /// `SqueezeNet` 1.1 (Iandola et al. 2016): paths that part and are concatenated.
    SqueezeNet,
}

/// How large it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// As published.
    Full,
    /// The same structure with few layers, channels and pixels, for tests that compute it.
    Small,
}

impl Network {
    /// All networks.
    pub const ALL: [Self; 4] = [Self::Bert, Self::MobileNet, Self::ResNet, Self::SqueezeNet];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bert => "BERT base, 128 tokens",
            Self::MobileNet => "MobileNetV2, 224x224",
            Self::ResNet => "ResNet-50, 224x224",
            Self::SqueezeNet => "SqueezeNet 1.1, 224x224",
        }
    }

    /// Builds it. Its input is named `x`; the result is its output.
    ///
    /// # Errors
    /// If the builder refuses a call.
    pub fn build(self, layers: &Layers<'_>, size: Size) -> Result<MLOperand> {
        match self {
            Self::Bert => bert(layers, size),
            Self::MobileNet => mobile_net(layers, size),
            Self::ResNet => res_net(layers, size),
            Self::SqueezeNet => squeeze_net(layers, size),
        }
    }
}

/// Adds layers to a graph, and keeps their weights.
#[derive(Debug)]
pub struct Layers<'a> {
    builder: &'a MLGraphBuilder,
    weights: RefCell<Vec<MLOperand>>,
}

impl<'a> Layers<'a> {
    /// Adds layers to the graph of this builder.
    pub fn of(builder: &'a MLGraphBuilder) -> Self {
        Self { builder, weights: RefCell::default() }
    }

    /// The hollow constants that were made.
    pub fn weights(self) -> Vec<MLOperand> {
        self.weights.into_inner()
    }

    fn weight(&self, shape: &[u32]) -> Result<MLOperand> {
        let weight = self.builder.hollow_constant(&float32(shape))?;
        self.weights.borrow_mut().push(weight.clone());
        Ok(weight)
    }

    fn input(&self, shape: &[u32]) -> Result<MLOperand> {
        self.builder.input("x", &float32(shape))
    }

    /// Each row times a matrix, and a bias.
    fn linear(&self, x: &MLOperand, to: u32) -> Result<MLOperand> {
        let shape = x.shape();
        let product = self.builder.matmul(x, &self.weight(&[shape[shape.len() - 1], to])?, &none())?;
        self.builder.add(&product, &self.weight(&[to])?, &none())
    }

    fn normalized(&self, x: &MLOperand) -> Result<MLOperand> {
        let shape = x.shape();
        let last = shape.len() - 1;
        let options = MLLayerNormalizationOptions {
            scale: Some(self.weight(&shape[last..])?),
            bias: Some(self.weight(&shape[last..])?),
            axes: Some(vec![last as u32]),
            ..MLLayerNormalizationOptions::default()
        };
        self.builder.layer_normalization(x, &options)
    }

    /// A convolution with a bias, as large as its input divided by the stride.
    fn convolution(&self, x: &MLOperand, to: u32, window: u32, stride: u32, groups: u32) -> Result<MLOperand> {
        let filter = self.weight(&[to, x.shape()[1] / groups, window, window])?;
        let options = MLConv2dOptions {
            padding: Some(vec![window / 2; 4]),
            strides: Some(vec![stride; 2]),
            groups,
            bias: Some(self.weight(&[to])?),
            ..MLConv2dOptions::default()
        };
        self.builder.conv2d(x, &filter, &options)
    }

    fn maxima(&self, x: &MLOperand) -> Result<MLOperand> {
        let options = MLPool2dOptions {
            window_dimensions: Some(vec![3; 2]),
            strides: Some(vec![2; 2]),
            padding: Some(vec![1; 4]),
            ..MLPool2dOptions::default()
        };
        self.builder.max_pool2d(x, &options)
    }

    /// The mean of each channel.
    fn means(&self, x: &MLOperand) -> Result<MLOperand> {
        let means = self.builder.average_pool2d(x, &MLPool2dOptions::default())?;
        self.builder.reshape(&means, &[1, x.shape()[1]], &none())
    }

    fn relu(&self, x: &MLOperand) -> Result<MLOperand> {
        self.builder.relu(x, &none())
    }

    fn relu6(&self, x: &MLOperand) -> Result<MLOperand> {
        let options =
            MLClampOptions { min_value: Some(0.0.into()), max_value: Some(6.0.into()), ..MLClampOptions::default() };
        self.builder.clamp(x, &options)
    }
}

fn float32(shape: &[u32]) -> MLOperandDescriptor {
    MLOperandDescriptor::create(MLOperandDataType::Float32, shape)
}

fn none() -> MLOperatorOptions {
    MLOperatorOptions::default()
}

fn bert(layers: &Layers<'_>, size: Size) -> Result<MLOperand> {
    let (tokens, heads, width, depth) = match size {
        Size::Full => (128, 12, 64, 12),
        Size::Small => (5, 2, 4, 3),
    };
    let mut x = layers.normalized(&layers.input(&[1, tokens, heads * width])?)?;
    for _ in 0..depth {
        let attended = attention(layers, &x, heads)?;
        x = layers.normalized(&layers.builder.add(&x, &attended, &none())?)?;
        let wide = layers.builder.gelu(&layers.linear(&x, 4 * heads * width)?, &none())?;
        let narrow = layers.linear(&wide, heads * width)?;
        x = layers.normalized(&layers.builder.add(&x, &narrow, &none())?)?;
    }
    Ok(x)
}

fn attention(layers: &Layers<'_>, x: &MLOperand, heads: u32) -> Result<MLOperand> {
    let b = layers.builder;
    let [tokens, width] = [x.shape()[1], x.shape()[2]];
    let order = |x: &MLOperand, permutation: [u32; 4]| {
        let options = MLTransposeOptions { permutation: Some(permutation.to_vec()), ..MLTransposeOptions::default() };
        b.transpose(x, &options)
    };
    // Queries, keys and values come from one product, as in many exported graphs.
    let all = layers.linear(x, 3 * width)?;
    let parts = b.split(&all, &Splits::Count(3), &MLSplitOptions { axis: 2, ..MLSplitOptions::default() })?;
    let of_heads = |part: &MLOperand| b.reshape(part, &[1, tokens, heads, width / heads], &none());
    let queries = order(&of_heads(&parts[0])?, [0, 2, 1, 3])?;
    let keys = order(&of_heads(&parts[1])?, [0, 2, 3, 1])?;
    let values = order(&of_heads(&parts[2])?, [0, 2, 1, 3])?;
    let scale = b.constant_scalar(MLOperandDataType::Float32, f64::from(width / heads).sqrt().recip().into())?;
    let scores = b.mul(&b.matmul(&queries, &keys, &none())?, &scale, &none())?;
    let mixed = b.matmul(&b.softmax(&scores, 3, &none())?, &values, &none())?;
    layers.linear(&b.reshape(&order(&mixed, [0, 2, 1, 3])?, &[1, tokens, width], &none())?, width)
}

fn mobile_net(layers: &Layers<'_>, size: Size) -> Result<MLOperand> {
    // Expansion, channels, repetitions, stride of the first.
    const BLOCKS: [[u32; 4]; 7] =
        [[1, 16, 1, 1], [6, 24, 2, 2], [6, 32, 3, 2], [6, 64, 4, 2], [6, 96, 3, 1], [6, 160, 3, 2], [6, 320, 1, 1]];
    let (pixels, thinner, blocks) = match size {
        Size::Full => (224, 1, &BLOCKS[..]),
        Size::Small => (16, 8, &BLOCKS[..3]),
    };
    let mut x = layers.relu6(&layers.convolution(&layers.input(&[1, 3, pixels, pixels])?, 32 / thinner, 3, 2, 1)?)?;
    for [expansion, channels, repetitions, stride] in blocks {
        for place in 0..*repetitions {
            let stride = if place == 0 { *stride } else { 1 };
            x = inverted_residual(layers, &x, *expansion, channels / thinner, stride)?;
        }
    }
    let wide = layers.relu6(&layers.convolution(&x, 1280 / thinner, 1, 1, 1)?)?;
    layers.builder.softmax(&layers.linear(&layers.means(&wide)?, 1000 / thinner)?, 1, &none())
}

fn inverted_residual(layers: &Layers<'_>, x: &MLOperand, expansion: u32, to: u32, stride: u32) -> Result<MLOperand> {
    let from = x.shape()[1];
    let mut wide = x.clone();
    if expansion > 1 {
        wide = layers.relu6(&layers.convolution(x, from * expansion, 1, 1, 1)?)?;
    }
    let depthwise = layers.relu6(&layers.convolution(&wide, from * expansion, 3, stride, from * expansion)?)?;
    let narrow = layers.convolution(&depthwise, to, 1, 1, 1)?;
    if stride == 1 && from == to { layers.builder.add(x, &narrow, &none()) } else { Ok(narrow) }
}

fn res_net(layers: &Layers<'_>, size: Size) -> Result<MLOperand> {
    let (pixels, thinner, stages) = match size {
        Size::Full => (224, 1, &[3, 4, 6, 3][..]),
        Size::Small => (16, 16, &[2, 2][..]),
    };
    let stem = layers.convolution(&layers.input(&[1, 3, pixels, pixels])?, 64 / thinner, 7, 2, 1)?;
    let mut x = layers.maxima(&layers.relu(&stem)?)?;
    let mut channels = 64 / thinner;
    for (stage, repetitions) in stages.iter().enumerate() {
        for place in 0..*repetitions {
            x = bottleneck(layers, &x, channels, if place == 0 && stage > 0 { 2 } else { 1 })?;
        }
        channels *= 2;
    }
    layers.builder.softmax(&layers.linear(&layers.means(&x)?, 1000 / thinner)?, 1, &none())
}

fn bottleneck(layers: &Layers<'_>, x: &MLOperand, channels: u32, stride: u32) -> Result<MLOperand> {
    let narrow = layers.relu(&layers.convolution(x, channels, 1, 1, 1)?)?;
    let middle = layers.relu(&layers.convolution(&narrow, channels, 3, stride, 1)?)?;
    let wide = layers.convolution(&middle, 4 * channels, 1, 1, 1)?;
    let past = if x.shape() == wide.shape() { x.clone() } else { layers.convolution(x, 4 * channels, 1, stride, 1)? };
    layers.relu(&layers.builder.add(&wide, &past, &none())?)
}

fn squeeze_net(layers: &Layers<'_>, size: Size) -> Result<MLOperand> {
    let (pixels, thinner, stages) = match size {
        Size::Full => (224, 1, &[&[16, 16][..], &[32, 32], &[48, 48, 64, 64]][..]),
        Size::Small => (20, 8, &[&[16, 16][..], &[32]][..]),
    };
    let mut x = layers.relu(&layers.convolution(&layers.input(&[1, 3, pixels, pixels])?, 64 / thinner, 3, 2, 1)?)?;
    for stage in stages {
        x = layers.maxima(&x)?;
        for squeezed in *stage {
            x = fire(layers, &x, squeezed / thinner)?;
        }
    }
    let classes = layers.relu(&layers.convolution(&x, 1000 / thinner, 1, 1, 1)?)?;
    layers.builder.softmax(&layers.means(&classes)?, 1, &none())
}

/// Two convolutions of the same few channels, side by side.
fn fire(layers: &Layers<'_>, x: &MLOperand, squeezed: u32) -> Result<MLOperand> {
    let few = layers.relu(&layers.convolution(x, squeezed, 1, 1, 1)?)?;
    let small = layers.relu(&layers.convolution(&few, 4 * squeezed, 1, 1, 1)?)?;
    let large = layers.relu(&layers.convolution(&few, 4 * squeezed, 3, 1, 1)?)?;
    layers.builder.concat(&[small, large], 1, &none())
}
